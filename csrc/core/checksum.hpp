// A checksum of bytes as fast as they are read: a change of any one word changes it.
#pragma once
#include <cstdint>
#include <span>

namespace lookalike {

// Eight words of 64 bits at a time, each times an odd number that none of the others has.
std::uint64_t checksum(std::span<std::uint8_t const> bytes);

}  // namespace lookalike
