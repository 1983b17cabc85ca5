// The bindings of every stem, which the native module lists.
#pragma once
#include <nanobind/nanobind.h>

namespace lookalike::bind {

void bind_assign(nanobind::module_& m);
void bind_block_search(nanobind::module_& m);
void bind_cluster_tree(nanobind::module_& m);
void bind_boosted(nanobind::module_& m);
void bind_components(nanobind::module_& m);
void bind_distance(nanobind::module_& m);
void bind_donors(nanobind::module_& m);
void bind_exact(nanobind::module_& m);
void bind_forest(nanobind::module_& m);
void bind_kdtree(nanobind::module_& m);
void bind_kernel_sums(nanobind::module_& m);
void bind_layout(nanobind::module_& m);
void bind_leave_one_out(nanobind::module_& m);
void bind_lsh(nanobind::module_& m);
void bind_mixture(nanobind::module_& m);
void bind_moments(nanobind::module_& m);
void bind_mutual_information(nanobind::module_& m);
void bind_pair_keys(nanobind::module_& m);
void bind_read_rows(nanobind::module_& m);
void bind_scan(nanobind::module_& m);
void bind_shifted(nanobind::module_& m);
void bind_softmax_loss(nanobind::module_& m);
void bind_spanning_forest(nanobind::module_& m);
void bind_transform(nanobind::module_& m);
void bind_votes(nanobind::module_& m);

}  // namespace lookalike::bind
