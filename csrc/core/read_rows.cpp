#include "core/read_rows.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <vector>

#include "core/bounds.hpp"
#include "core/parallel.hpp"

#ifdef _WIN32
#include <io.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

namespace lookalike {
namespace {

constexpr std::size_t kNear = 4096;  // bytes between rows that are read together
constexpr std::size_t kTogether = std::size_t{1} << 20;  // bytes of one read, unless a row has more

struct Run {  // rows [first, last) that are read together
  std::size_t first, last;
};

std::vector<Run> runs_of(std::span<std::int64_t const> offset, std::size_t size) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < offset.size(); ++i) {
    bool const joins =
        !runs.empty() && static_cast<std::size_t>(offset[i] - offset[i - 1]) <= size + kNear &&
        static_cast<std::size_t>(offset[i] - offset[runs.back().first]) + size <= kTogether;
    if (joins)
      runs.back().last = i + 1;
    else
      runs.push_back({i, i + 1});
  }
  return runs;
}

#ifdef _WIN32
std::int64_t read_once(int file, std::uint8_t* to, std::size_t count, std::int64_t at) {
  if (_lseeki64(file, at, 0) < 0) return -1;
  return _read(file, to, static_cast<unsigned>(std::min<std::size_t>(count, 1u << 30)));
}
void announce(int, std::int64_t, std::size_t) {}
constexpr bool kOneAtATime = true;  // the position of the file is shared
#else
std::int64_t read_once(int file, std::uint8_t* to, std::size_t count, std::int64_t at) {
  return pread(file, to, count, static_cast<off_t>(at));
}
void announce([[maybe_unused]] int file, [[maybe_unused]] std::int64_t at,
              [[maybe_unused]] std::size_t count) {
#ifdef POSIX_FADV_WILLNEED
  posix_fadvise(file, static_cast<off_t>(at), static_cast<off_t>(count), POSIX_FADV_WILLNEED);
#endif
}
constexpr bool kOneAtATime = false;
#endif

// Returns how many bytes were there.
std::size_t read_whole(int file, std::uint8_t* to, std::size_t count, std::int64_t at) {
  std::size_t done = 0;
  while (done < count) {
    std::int64_t const got =
        read_once(file, to + done, count - done, at + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::size_t bytes_of(Run const& run, std::span<std::int64_t const> offset, std::size_t size) {
  return static_cast<std::size_t>(offset[run.last - 1] - offset[run.first]) + size;
}

}  // namespace

RowsRead read_rows(int file, std::span<std::int64_t const> offset, std::size_t size,
                   std::size_t threads, std::uint8_t* out) {
  for (std::size_t i = 0; i < offset.size(); ++i)
    require(offset[i] >= (i == 0 ? 0 : offset[i - 1]), "offsets of rows rise from 0 on");
  require(offset.empty() || static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() -
                                                       offset.back()) >= size,
          "a row ends beyond the largest file");
  std::vector<Run> const runs = runs_of(offset, size);
  if (runs.size() > 1)
    for (Run const& run : runs) announce(file, offset[run.first], bytes_of(run, offset, size));
  std::size_t const workers = kOneAtATime ? 1 : std::max<std::size_t>(threads, 1), batch = 256;
  std::vector<RowsRead> read(workers);
  std::vector<std::vector<std::uint8_t>> scratch(workers);
  parallel_blocks(runs.size(), batch, workers,
                  [&](std::size_t begin, std::size_t end, std::size_t w) {
                    for (std::size_t r = begin; r < end; ++r) {
                      Run const& run = runs[r];
                      std::size_t const wanted = bytes_of(run, offset, size);
                      std::uint8_t* to = out + run.first * size;
                      bool const dense = wanted == (run.last - run.first) * size;
                      if (!dense) {
                        scratch[w].resize(std::max(scratch[w].size(), wanted));
                        to = scratch[w].data();
                      }
                      std::size_t const got = read_whole(file, to, wanted, offset[run.first]);
                      read[w].bytes += got;
                      for (std::size_t i = run.first; i < run.last; ++i) {
                        auto const from = static_cast<std::size_t>(offset[i] - offset[run.first]);
                        if (from + size > got) break;
                        if (!dense) std::copy_n(to + from, size, out + i * size);
                        ++read[w].rows;
                      }
                    }
                  });
  RowsRead total;
  for (RowsRead const& one : read) {
    total.rows += one.rows;
    total.bytes += one.bytes;
  }
  return total;
}

}  // namespace lookalike
