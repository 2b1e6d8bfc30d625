/* SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): 64 bits that only who knows the key
   can make. Two rounds for each word of 8 bytes, the last one with the length in its top byte, and four in the end. */

#ifndef HD_SIPHASH_H
#define HD_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t hd_get64(const uint8_t *bytes) {
    uint64_t word = 0;
    for (int i = 0; i < 8; i++) word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

static inline void hd_put64(uint8_t *bytes, uint64_t word) {
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(word >> 8 * i);
}

static inline uint64_t hd_turn(uint64_t word, int bits) { return word << bits | word >> (64 - bits); }

static inline void hd_sip_rounds(uint64_t v[4], int rounds) {
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1], v[1] = hd_turn(v[1], 13) ^ v[0], v[0] = hd_turn(v[0], 32);
        v[2] += v[3], v[3] = hd_turn(v[3], 16) ^ v[2];
        v[0] += v[3], v[3] = hd_turn(v[3], 21) ^ v[0];
        v[2] += v[1], v[1] = hd_turn(v[1], 17) ^ v[2], v[2] = hd_turn(v[2], 32);
    }
}

static inline uint64_t hd_siphash(const uint8_t key[16], const uint8_t *data, size_t size) {
    uint64_t k0 = hd_get64(key), k1 = hd_get64(key + 8);
    uint64_t v[4] = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573};
    size_t whole = size / 8 * 8;
    for (size_t i = 0; i <= whole; i += 8) {
        uint64_t word = (uint64_t)size << 56;
        if (i < whole) word = hd_get64(data + i);
        else for (size_t j = i; j < size; j++) word |= (uint64_t)data[j] << 8 * (j - i);
        v[3] ^= word;
        hd_sip_rounds(v, 2);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    hd_sip_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif
