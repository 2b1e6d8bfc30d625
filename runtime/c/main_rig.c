/* The executable of the half that was cut out: PROGRAM REGION. */

#include <stdio.h>
#include "program.h"

extern const hs_program hs_rig;
int hr_main(const char *path, const hs_program *program);

int main(int count, char **words) {
    if (count == 2) return hr_main(words[1], &hs_rig);
    fprintf(stderr, "usage: %s REGION\n", words[0]);
    return 2;
}
