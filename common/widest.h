/*
 * widest - functions made twice, for registers as wide as the machine has
 *
 * Integers are the same however many are added at once: where the machine has
 * wider registers than every one of its kind, they are used.  A function that
 * is chosen while the program is loaded does not go with the sanitizers.
 */
#ifndef COMMON_WIDEST_H
#define COMMON_WIDEST_H

#if defined(__x86_64__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDEST __attribute__((target_clones("avx2", "default")))
#else
#define WIDEST
#endif

#endif
