#include "core/read_rows.hpp"

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "core/checksum.hpp"

namespace lookalike::bind {

void bind_read_rows(nb::module_& m) {
  m.def(
      "read_rows",
      [](int file, Vector<std::int64_t const> offset, std::size_t threads,
         Matrix<std::uint8_t> out) {
        View<std::uint8_t> const rows = view(out);
        if (rows.rows != offset.shape(0) || rows.stride != rows.cols)
          throw nb::value_error("there is no contiguous row for each offset");
        RowsRead read;
        {
          nb::gil_scoped_release unlocked;
          read = read_rows(file, view(offset), rows.cols, threads, rows.data);
        }
        return nb::make_tuple(read.rows, read.bytes);
      },
      nb::kw_only(), "file"_a, "offset"_a, "threads"_a, "out"_a.noconvert(),
      "Read rows from the rising offsets of an open file; return how many rows and bytes.");
  m.def(
      "checksum",
      [](Vector<std::uint8_t const> bytes) {
        nb::gil_scoped_release unlocked;
        return checksum(view(bytes));
      },
      "bytes"_a.noconvert(), "A checksum of 64 bits that every changed word changes.");
}

}  // namespace lookalike::bind
