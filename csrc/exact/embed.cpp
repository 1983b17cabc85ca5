#include "exact/embed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lookalike {
namespace {

constexpr double kHalfUlp32 = 0x1p-24;
constexpr double kLargestNorm2 = 0x1p80;  // rows beyond are not coded; float32 has room to spare

// A copy that decides nothing: its row is always looked at.
Code unknown(std::int8_t* code, std::size_t width) {
  std::fill_n(code, width, std::int8_t{0});
  return {0, 0, std::numeric_limits<float>::infinity()};
}

struct Projected {
  Embedding const& embedding;
  EmbedKernels const& kernels;
  double norm2;
  float const* image;

  double squares(std::size_t from, std::size_t to) const {
    double sum = 0.0;
    for (std::size_t j = from; j < to; ++j) sum += static_cast<double>(image[j]) * image[j];
    return sum;
  }

  double slip(std::size_t count) const {
    return projection_error(embedding.cols(), count, embedding.defect, norm2);
  }

  Code first(std::int8_t* code) const {
    std::size_t const count = kBlock - 1;
    double const off = slip(count);
    Rest const rest = rest_of(norm2, squares(0, count), off, embedding.defect, embedding.cols());
    Code totals;
    double lost = kernels.round_floats(image, count, embedding.first_step(), code, &totals);
    double const last = rest.value - embedding.rest[0];
    lost += kernels.round_doubles(&last, 1, embedding.first_step(), code + count, &totals);
    totals.margin = round_up((std::sqrt(lost) + off + rest.error) * kMarginUp);
    return totals;
  }

  Code wide(std::int8_t* code) const {
    std::size_t const width = embedding.wide_width(), count = kBlock - 1;
    double const off = slip(width - 1);
    Rest const rest = rest_of(norm2, squares(0, width), off, embedding.defect, embedding.cols());
    Code head, totals;
    double lost = kernels.round_floats(image, count, embedding.first_step(), code, &head);
    double const last = rest.value - embedding.rest[1];
    lost += kernels.round_doubles(&last, 1, embedding.first_step(), code + count, &head);
    lost += kernels.round_floats(image + kBlock, width - kBlock, embedding.step, code + kBlock,
                                 &totals);
    totals.norm += embedding.ratio * embedding.ratio * head.norm;
    totals.sum += embedding.ratio * embedding.ratio * head.sum;
    totals.margin = round_up((std::sqrt(lost) + off + rest.error) * kMarginUp);
    return totals;
  }
};

Code embed_columns(Embedding const& embedding, EmbedKernels const& kernels, double norm2,
                   double const* row, std::int8_t* code) {
  std::size_t const width = embedding.first_width();
  if (!(norm2 < kLargestNorm2)) return unknown(code, width);
  Code totals;
  std::fill(code + embedding.cols(), code + width, std::int8_t{0});
  double const lost = kernels.round_doubles(row, embedding.cols(), embedding.step, code, &totals);
  double const slip = 0x1p-50 * std::sqrt(norm2) + kMarginTiny;
  totals.margin = round_up((std::sqrt(lost) + slip) * kMarginUp);
  return totals;
}

}  // namespace

float round_up(double margin) {
  float const rounded = static_cast<float>(margin);
  return static_cast<double>(rounded) >= margin
             ? rounded
             : std::nextafter(rounded, std::numeric_limits<float>::infinity());
}

double projection_error(std::size_t cols, std::size_t count, double defect, double norm2) {
  double const pieces = static_cast<double>(cols / kSumTerms + kSumTerms + 4);
  double const directions = std::sqrt(static_cast<double>(count) * (1.0 + defect));
  double const sums = 1.01 * pieces * kHalfUlp32 * directions;
  return (sums + 1.01 * kHalfUlp32 * (1.0 + defect)) * std::sqrt(norm2) * kMarginUp + kMarginTiny;
}

Rest rest_of(double norm2, double image2, double slip, double defect, std::size_t cols) {
  double const float64 = static_cast<double>(cols + 64) * 0x1p-52;
  double const doubt =
      (slip * (2.0 * std::sqrt(image2) + slip) + (defect * (1.0 + defect) + float64) * norm2) *
      kMarginUp;
  double const square = std::max(norm2 - image2, 0.0);
  double const root = std::sqrt(square);
  double const bound = std::sqrt(doubt);
  return {root, root > 0.0 ? std::min(doubt / root, bound) : bound};
}

double Embedding::stretch() const { return std::sqrt(1.0 + defect * (1.0 + defect)) * kMarginUp; }

void embed(Embedding const& embedding, double const* X, std::size_t rows, EmbedScratch& scratch,
           std::int8_t* first, Code* first_code, std::int8_t* wide, Code* wide_code) {
  EmbedKernels const& kernels = LOOKALIKE_CHOOSE(embed_kernels);
  std::size_t const cols = embedding.cols(), width = embedding.first_width();
  std::size_t const image_width = embedding.blocks * kBlock, wide_width = embedding.wide_width();
  scratch.row.resize(cols);
  scratch.centered.resize(kEmbedRows * cols);
  scratch.image.resize(kEmbedRows * image_width);
  double norm2[kEmbedRows];
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(X + i * cols, cols, scratch.row.data());
    norm2[i] = kernels.center(scratch.row.data(), embedding.mean.data(), embedding.scale, cols);
    if (embedding.full()) {
      first_code[i] =
          embed_columns(embedding, kernels, norm2[i], scratch.row.data(), first + i * width);
      continue;
    }
    bool const codable = norm2[i] < kLargestNorm2;
    for (std::size_t j = 0; j < cols; ++j)
      scratch.centered[i * cols + j] = codable ? static_cast<float>(scratch.row[j]) : 0.0f;
  }
  if (embedding.full()) return;
  for (std::size_t block = 0; block < embedding.blocks; ++block)
    kernels.project(scratch.centered.data(), rows, cols, image_width,
                    embedding.directions.data() + block * cols * kBlock,
                    scratch.image.data() + block * kBlock);
  for (std::size_t i = 0; i < rows; ++i) {
    std::int8_t* const fine = wide_width > 0 ? wide + i * wide_width : nullptr;
    if (!(norm2[i] < kLargestNorm2)) {
      first_code[i] = unknown(first + i * width, width);
      if (fine != nullptr) wide_code[i] = unknown(fine, wide_width);
      continue;
    }
    Projected const row{embedding, kernels, norm2[i], scratch.image.data() + i * image_width};
    first_code[i] = row.first(first + i * width);
    if (fine != nullptr) wide_code[i] = row.wide(fine);
  }
}

}  // namespace lookalike
