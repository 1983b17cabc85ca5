#include "kmeans/int16_codes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "exact/embed.hpp"
#include "kmeans/assign_kernels.hpp"

namespace lookalike {
namespace {

constexpr double kLargestNorm2 = 0x1p80;  // rows beyond are not coded; float32 has room to spare
constexpr std::size_t kSampled = 1024;

// The images of a few rows at a time, in float64, and what is known of each.
class Imager {
 public:
  struct Image {
    double norm, slip, rest;
  };

  Imager(RowReader const& rows, Int16Map const& map)
      : rows_(rows),
        map_(map),
        value_(kEmbedRows * rows.cols()),
        centered_(map.blocks() > 0 ? kEmbedRows * rows.cols() : 0),
        projected_(kEmbedRows * map.blocks() * kBlock),
        image_(map.used) {}

  // Calls use(i, image values, facts) for rows [from, from + count); count <= kEmbedRows.
  template <class Use>
  void images(std::size_t from, std::size_t count, Use&& use) {
    EmbedKernels const& kernels = LOOKALIKE_CHOOSE(embed_kernels);
    std::size_t const cols = rows_.cols(), width = map_.blocks() * kBlock;
    rows_.load(from, count, value_.data());
    double norm2[kEmbedRows];
    for (std::size_t i = 0; i < count; ++i) {
      double* const v = value_.data() + i * cols;
      norm2[i] = kernels.center(v, map_.middle.data(), map_.scale, cols);
      bool const codable = norm2[i] < kLargestNorm2;
      if (!codable) std::fill_n(v, cols, 0.0);
      for (std::size_t j = 0; j < cols && width > 0; ++j)
        centered_[i * cols + j] = static_cast<float>(v[j]);
    }
    for (std::size_t block = 0; block < map_.blocks(); ++block)
      kernels.project(centered_.data(), count, cols, width,
                      map_.directions.data() + block * cols * kBlock,
                      projected_.data() + block * kBlock);
    for (std::size_t i = 0; i < count; ++i) {
      if (width == 0)
        use(from + i, value_.data() + i * cols, columns_facts(norm2[i]));
      else
        use(from + i, widened(projected_.data() + i * width), projected_facts(i, norm2[i]));
    }
  }

 private:
  double const* widened(float const* image) {
    std::copy_n(image, image_.size(), image_.data());
    return image_.data();
  }

  Image columns_facts(double norm2) const {
    if (!(norm2 < kLargestNorm2)) return unknown();
    double const norm = std::sqrt(norm2) * kMarginUp;
    return {norm, 0x1p-50 * norm + kMarginTiny, 0.0};
  }

  Image projected_facts(std::size_t i, double norm2) const {
    if (!(norm2 < kLargestNorm2)) return unknown();
    std::size_t const width = map_.blocks() * kBlock;
    double image2 = 0.0;
    for (std::size_t j = 0; j < map_.used; ++j) {
      double const y = projected_[i * width + j];
      image2 += y * y;
    }
    double const slip = projection_error(rows_.cols(), map_.used, map_.defect, norm2);
    Rest const rest = rest_of(norm2, image2, slip, map_.defect, rows_.cols());
    double const norm = std::sqrt(norm2) * kMarginUp;
    return {norm, slip + map_.defect * norm, (rest.value + rest.error) * kMarginUp};
  }

  static Image unknown() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {infinity, infinity, infinity};
  }

  RowReader const& rows_;
  Int16Map const& map_;
  std::vector<double> value_;
  std::vector<float> centered_, projected_;
  std::vector<double> image_;
};

// Almost all rows have no larger coordinate; the others are clipped and have a wide margin.
double usual_largest(RowReader const& rows, Int16Map const& map, std::size_t values) {
  Imager imager(rows, map);
  std::vector<double> largest;
  std::size_t const stride = std::max<std::size_t>(1, rows.rows() / kSampled);
  for (std::size_t row = 0; row < rows.rows(); row += stride)
    imager.images(row, 1, [&](std::size_t, double const* y, Imager::Image const& facts) {
      double most = 0.0;
      for (std::size_t j = 0; j < values; ++j) most = std::max(most, std::abs(y[j]));
      if (std::isfinite(facts.norm)) largest.push_back(most);
    });
  if (largest.empty()) return 1.0;
  auto const place = largest.begin() + static_cast<std::ptrdiff_t>(largest.size() * 99 / 100);
  std::nth_element(largest.begin(), place, largest.end());
  return 1.1 * *place;
}

}  // namespace

std::size_t Int16Map::blocks() const { return directions.size() / (middle.size() * kBlock); }

double largest_int16_code(std::size_t width) {
  return std::min(16383.0, std::floor(std::sqrt(0x1p30 / static_cast<double>(width))));
}

double int16_step(double largest, std::size_t width) {
  if (!(largest > 0.0)) return 1.0;
  return std::exp2(std::ceil(std::log2(largest / largest_int16_code(width))));
}

Int16Codes int16_codes(RowReader const& rows, Int16Map const& map, std::size_t threads) {
  AssignKernels const& kernels = LOOKALIKE_CHOOSE(assign_kernels);
  Int16Codes codes;
  codes.middle.assign(map.middle.begin(), map.middle.end());
  codes.directions.assign(map.directions.begin(), map.directions.end());
  codes.scale = map.scale;
  codes.defect = map.defect;
  codes.used = map.used;
  codes.width = map.width();
  std::size_t const values = map.values();
  codes.step = int16_step(usual_largest(rows, map, values), codes.width);
  codes.code.assign(rows.rows() * codes.width, 0);
  codes.margin.resize(rows.rows());
  double const largest = largest_int16_code(codes.width);
  std::vector<Imager> imagers(threads, Imager(rows, map));
  parallel_blocks(
      rows.rows(), kEmbedRows, threads,
      [&](std::size_t begin, std::size_t end, std::size_t worker) {
        imagers[worker].images(
            begin, end - begin, [&](std::size_t row, double const* y, Imager::Image const& facts) {
              double const lost = kernels.round_row(y, values, codes.step, largest,
                                                    codes.code.data() + row * codes.width);
              codes.margin[row] = {round_up((std::sqrt(lost) + facts.slip) * kMarginUp),
                                   round_up(facts.rest), round_up(facts.norm)};
            });
      });
  return codes;
}

}  // namespace lookalike
