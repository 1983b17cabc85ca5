// Enumerations of C++ as those of Python.
#pragma once
#include <nanobind/nanobind.h>

namespace lookalike::bind {

// Adds names and values in turn.
template <class E, class... Rest>
void def_values(nanobind::enum_<E>& all, char const* name, E value, Rest... rest) {
  all.value(name, value);
  if constexpr (sizeof...(rest) > 0) def_values(all, rest...);
}

template <class E, class... Values>
void def_enum(nanobind::module_& m, char const* name, char const* doc, Values... values) {
  nanobind::enum_<E> all(m, name, doc);
  def_values(all, values...);
}

}  // namespace lookalike::bind
