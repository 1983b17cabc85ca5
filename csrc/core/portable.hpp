// What compilers spell differently: hints, attributes and the bits of a word.
#pragma once
#if defined(_MSC_VER)
#include <intrin.h>
#endif

// Sanitizers make every unrolled line many times as long, while their speed does not matter.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LOOKALIKE_SANITIZED 1
#endif

#if defined(_MSC_VER)
#define LOOKALIKE_UNROLL
#define LOOKALIKE_IN_REGISTER(x)
#define LOOKALIKE_INLINE __forceinline
#define LOOKALIKE_NOINLINE __declspec(noinline)
#else
// Before a short loop over registers.
#if defined(LOOKALIKE_SANITIZED)
#define LOOKALIKE_UNROLL
#elif defined(__clang__)
#define LOOKALIKE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define LOOKALIKE_UNROLL _Pragma("GCC unroll 8")
#endif
// Keeps a vector in a register across a loop.
#define LOOKALIKE_IN_REGISTER(x) __asm__("" : "+v"(x))
#if defined(LOOKALIKE_SANITIZED)
#define LOOKALIKE_INLINE inline
#else
#define LOOKALIKE_INLINE inline __attribute__((always_inline))
#endif
#define LOOKALIKE_NOINLINE __attribute__((noinline))
#endif

#if defined(_MSC_VER) && defined(LOOKALIKE_X86)
#define LOOKALIKE_PREFETCH(place) _mm_prefetch(place, _MM_HINT_T0)
#define LOOKALIKE_PREFETCH_FOR_WRITE(place) _m_prefetchw(place)
#elif defined(_MSC_VER)
#define LOOKALIKE_PREFETCH(place) __prefetch(place)
#define LOOKALIKE_PREFETCH_FOR_WRITE(place) __prefetch(place)
#else
#define LOOKALIKE_PREFETCH(place) __builtin_prefetch(place)
#define LOOKALIKE_PREFETCH_FOR_WRITE(place) __builtin_prefetch(place, 1)
#endif

// A plain C function that other libraries find by its name.
#if defined(_WIN32)
#define LOOKALIKE_EXPORT extern "C" __declspec(dllexport)
#else
#define LOOKALIKE_EXPORT extern "C" __attribute__((visibility("default")))
#endif
