// Asks the memory for bytes that are read or written soon.
#pragma once
#include <cstddef>

#include "core/portable.hpp"

namespace lookalike {

inline void prefetch(void const* from, std::size_t bytes = 1) {
  constexpr std::size_t kCacheLine = 64;
  for (std::size_t at = 0; at < bytes; at += kCacheLine)
    LOOKALIKE_PREFETCH(static_cast<char const*>(from) + at);
}

inline void prefetch_for_write(void* place) { LOOKALIKE_PREFETCH_FOR_WRITE(place); }

}  // namespace lookalike
