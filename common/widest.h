/*
 * widest - functions made twice, for registers as wide as the machine has
 *
 * Integers are the same however many are added at once: where the machine has
 * wider registers than every one of its kind, they are used.  This is for
 * loops that call nothing: wide registers that are not put away before others
 * go on, as behind calls that the compiler knows, cost both of them a hundred
 * cycles.  What only counts bits is COUNTING.  A function that is chosen while
 * the program is loaded does not go with the sanitizers.
 */
#ifndef COMMON_WIDEST_H
#define COMMON_WIDEST_H

#if defined(__x86_64__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDEST __attribute__((target_clones("avx2", "default")))
#define COUNTING __attribute__((target_clones("popcnt", "default")))
#else
#define WIDEST
#define COUNTING
#endif

#endif
