// The map of rows to codes, from a dict of numbers and one of arrays.
#pragma once
#include "bind/arrays.hpp"
#include "core/bounds.hpp"
#include "exact/embed.hpp"

namespace lookalike::bind {

template <class T>
std::span<T> array(nb::dict const& arrays, char const* name) {
  return view(nb::cast<Vector<T>>(arrays[name], false));
}

inline Embedding embedding_of(nb::dict const& map, nb::dict const& arrays) {
  Embedding embedding;
  embedding.mean = array<double const>(arrays, "mean");
  embedding.directions = array<float const>(arrays, "directions");
  embedding.scale = nb::cast<double>(map["scale"]);
  embedding.blocks = nb::cast<std::size_t>(map["blocks"]);
  embedding.defect = nb::cast<double>(map["defect"]);
  embedding.step = nb::cast<double>(map["step"]);
  embedding.ratio = nb::cast<int>(map["ratio"]);
  embedding.rest[0] = nb::cast<double>(map["rest_first"]);
  embedding.rest[1] = nb::cast<double>(map["rest_all"]);
  // A product of sizes may leave 64 bits: no more blocks than directions come first.
  require(embedding.blocks <= embedding.directions.size() &&
              embedding.directions.size() == embedding.blocks * embedding.cols() * kBlock &&
              embedding.first_width() <= kWidestCode,
          "the directions of the codes do not fit their columns");
  return embedding;
}

}  // namespace lookalike::bind
