// Asks memory for bytes that are to be read soon.
#pragma once
#include <cstddef>

namespace lookalike {

inline void fetch_ahead([[maybe_unused]] void const* from, [[maybe_unused]] std::size_t bytes) {
#if defined(__GNUC__)
  for (std::size_t at = 0; at < bytes; at += 64)
    __builtin_prefetch(static_cast<char const*>(from) + at);
#endif
}

}  // namespace lookalike
