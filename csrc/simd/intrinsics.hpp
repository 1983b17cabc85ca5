// The vector instructions of the level that is being compiled, and a hint for loops of registers.
#pragma once

#if defined(LOOKALIKE_LEVEL_avx2) || defined(LOOKALIKE_LEVEL_avx512)
#if defined(__GNUC__) && !defined(__clang__)
// Headers of GCC before 13 start "any value will do" registers from themselves.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#include <immintrin.h>
#endif
#endif

// Before a short loop over registers; and of functions whose registers must not be spilled.
#if defined(_MSC_VER)
#define LOOKALIKE_UNROLL
#define LOOKALIKE_IN_REGISTER(x)
#define LOOKALIKE_INLINE __forceinline
#define LOOKALIKE_NOINLINE __declspec(noinline)
#else
#if defined(__clang__)
#define LOOKALIKE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define LOOKALIKE_UNROLL _Pragma("GCC unroll 8")
#endif
#define LOOKALIKE_IN_REGISTER(x) __asm__("" : "+v"(x))
#define LOOKALIKE_INLINE inline __attribute__((always_inline))
#define LOOKALIKE_NOINLINE __attribute__((noinline))
#endif
