#include "kdtree/search.hpp"

#include "kdtree/walk.hpp"

namespace lookalike {
namespace {

// The k nearest so far. `shrink` below one gives up rows that are hardly nearer than the last.
class NearestRows {
 public:
  NearestRows(TopK& best, double shrink) : best_(best), shrink_(shrink) {}
  // Whether nothing at or above `key`, of rows numbered from `row`, can be wanted.
  bool refuses(double key, std::int64_t row) const {
    if (!best_.full()) return false;
    Neighbor const& worst = best_.farthest();
    return key > worst.key * shrink_ || (key == worst.key && row > worst.row);
  }
  void offer(Neighbor neighbor) { best_.offer(neighbor); }

 private:
  TopK& best_;
  double shrink_;
};

// All rows within a radius.
class RowsWithin {
 public:
  explicit RowsWithin(RadiusCollector& collector) : collector_(collector) {}
  bool refuses(double key, std::int64_t) const { return key > collector_.bound(); }
  void offer(Neighbor neighbor) { collector_.offer(neighbor); }

 private:
  RadiusCollector& collector_;
};

template <class T, class Keep>
void search(std::vector<KDPart<T>> const& parts, KDQuery query, Minkowski metric, double scale,
            Keep& keep) {
  with_norm(metric.norm, [&](auto norm) {
    Walk<T, norm, Keep> walk(metric.p, scale, parts[0].cols, largest_leaf(parts), keep);
    walk.aim(query);
    for (KDPart<T> const& part : parts) walk.descend(part.view());
  });
}

}  // namespace

template <class T>
double search_nearest(std::vector<KDPart<T>> const& parts, KDQuery query, Minkowski metric,
                      double slack, TopK& best) {
  double const scale = scale_of(parts, query.values, metric);
  double const widen = 1.0 + slack;
  NearestRows keep(best, metric.norm == Norm::euclidean ? 1.0 / (widen * widen) : 1.0 / widen);
  search(parts, query, metric, scale, keep);
  return scale;
}

template <class T>
std::vector<Neighbor> search_within(std::vector<KDPart<T>> const& parts, KDQuery query,
                                    Minkowski metric, double radius) {
  double const scale = scale_of(parts, query.values, metric);
  RadiusCollector collector(metric.largest_key(radius, scale));
  RowsWithin keep(collector);
  search(parts, query, metric, scale, keep);
  auto const sorted = collector.sorted();
  std::vector<Neighbor> neighbors(sorted.begin(), sorted.end());
  for (Neighbor& neighbor : neighbors) neighbor.key = metric.distance(neighbor.key, scale);
  return neighbors;
}

template <>
KDKernels<float> const& kd_kernels<float>() {
  static auto const& kernels = LOOKALIKE_CHOOSE(kd_kernels_float);
  return kernels;
}
template <>
KDKernels<double> const& kd_kernels<double>() {
  static auto const& kernels = LOOKALIKE_CHOOSE(kd_kernels_double);
  return kernels;
}

#define LOOKALIKE_SEARCH(T)                                                                       \
  template double search_nearest(std::vector<KDPart<T>> const&, KDQuery, Minkowski, double,       \
                                 TopK&);                                                          \
  template std::vector<Neighbor> search_within(std::vector<KDPart<T>> const&, KDQuery, Minkowski, \
                                               double);
LOOKALIKE_SEARCH(float)
LOOKALIKE_SEARCH(double)
#undef LOOKALIKE_SEARCH

}  // namespace lookalike
