/* The executable of the controller half: PROGRAM loop|guardian REGION. */

#include <string.h>
#include <stdio.h>
#include "program.h"

extern const hs_program hs_controller;
int hl_main(const char *path, const hs_program *program);
int hl_guardian(const char *path);

int main(int count, char **words) {
    if (count == 3 && strcmp(words[1], "loop") == 0) return hl_main(words[2], &hs_controller);
    if (count == 3 && strcmp(words[1], "guardian") == 0) return hl_guardian(words[2]);
    fprintf(stderr, "usage: %s loop|guardian REGION\n", words[0]);
    return 2;
}
