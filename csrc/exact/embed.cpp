#include "exact/embed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "exact/panel.hpp"

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

namespace {

// Centers the rows and projects them: their squared norms, and scratch.image in the prefix map.
void project_rows(Embedding const& embedding, EmbedKernels const& kernels, double const* X,
                  std::size_t rows, EmbedScratch& scratch, double* norm2) {
  std::size_t const cols = embedding.cols(), image_width = embedding.blocks * kBlock;
  scratch.row.resize(rows * cols);  // of one query a small part: the memory of all would be cleared
  scratch.centered.resize(embedding.full() ? 0 : rows * cols);
  scratch.image.resize(rows * image_width);
  std::copy_n(X, rows * cols, scratch.row.data());
  for (std::size_t i = 0; i < rows; ++i) {
    double* const row = scratch.row.data() + i * cols;
    norm2[i] = kernels.center(row, embedding.mean.data(), embedding.scale, cols);
    bool const codable = norm2[i] < kLargestNorm2;
    for (std::size_t j = 0; !embedding.full() && j < cols; ++j)
      scratch.centered[i * cols + j] = codable ? static_cast<float>(row[j]) : 0.0f;
  }
  for (std::size_t block = 0; block < embedding.blocks; ++block)
    kernels.project(scratch.centered.data(), rows, cols, image_width,
                    embedding.directions.data() + block * cols * kBlock,
                    scratch.image.data() + block * kBlock);
}

constexpr double kFarthest = 0x1p50;  // in steps: squares of float32 must stay finite

// Writes values in steps; returns the squared distance that is lost, infinite where they are far.
template <class T>
double in_steps(T const* x, std::size_t count, double step, float* image) {
  double lost = 0.0;
  for (std::size_t j = 0; j < count; ++j) {
    double const steps = static_cast<double>(x[j]) / step + kCodeShift;
    if (!(std::abs(steps) < kFarthest)) return std::numeric_limits<double>::infinity();
    image[j] = static_cast<float>(steps);
    double const gap = (static_cast<double>(image[j]) - steps) * step;
    lost += gap * gap;
  }
  return lost;
}

}  // namespace

std::size_t image_head(Embedding const& embedding) {
  return (embedding.first_width() + kImagePad - 1) / kImagePad * kImagePad;
}

std::size_t image_width(Embedding const& embedding) {
  return image_head(embedding) + (embedding.blocks > 1 ? (embedding.blocks - 1) * kBlock : 0);
}

void embed_images(Embedding const& embedding, double const* X, std::size_t rows,
                  EmbedScratch& scratch, float* image, ImageBounds* bounds) {
  EmbedKernels const& kernels = LOOKALIKE_CHOOSE(embed_kernels);
  std::size_t const cols = embedding.cols(), width = image_width(embedding);
  std::size_t const projected = embedding.blocks * kBlock;
  double norm2[kEmbedRows];
  project_rows(embedding, kernels, X, rows, scratch, norm2);
  std::fill_n(image, rows * width, 0.0f);
  for (std::size_t i = 0; i < rows; ++i, image += width) {
    double lost = 0.0, off = 0.0;
    bounds[i] = {};
    if (embedding.full()) {
      lost = in_steps(scratch.row.data() + i * cols, cols, embedding.step, image);
      off = 0x1p-50 * std::sqrt(norm2[i]) + kMarginTiny;
    } else {
      float const* const y = scratch.image.data() + i * projected;
      Projected const row{embedding, kernels, norm2[i], y};
      double const slip = row.slip(projected);
      Rest const rest = rest_of(norm2[i], row.squares(0, projected), slip, embedding.defect, cols);
      lost = in_steps(y, kBlock - 1, embedding.first_step(), image);
      if (projected > kBlock)
        lost +=
            in_steps(y + kBlock, projected - kBlock, embedding.step, image + image_head(embedding));
      off = slip + rest.error;
      bounds[i].rest = rest.value;
    }
    // Squares that vanish in float32 are less than 2^-60 of a step.
    bounds[i].error = (std::sqrt(lost) + off + 0x1p-50 * embedding.first_step()) * kMarginUp;
    if (!(norm2[i] < kLargestNorm2) || !(lost < std::numeric_limits<double>::infinity())) {
      std::fill_n(image, width, 0.0f);
      bounds[i] = {0.0, std::numeric_limits<double>::infinity()};
    }
  }
}

void embed(Embedding const& embedding, double const* X, std::size_t rows, EmbedScratch& scratch,
           std::int8_t* first, Code* first_code, std::int8_t* wide, Code* wide_code) {
  EmbedKernels const& kernels = LOOKALIKE_CHOOSE(embed_kernels);
  std::size_t const cols = embedding.cols(), width = embedding.first_width();
  std::size_t const image_width = embedding.blocks * kBlock, wide_width = embedding.wide_width();
  double norm2[kEmbedRows];
  project_rows(embedding, kernels, X, rows, scratch, norm2);
  for (std::size_t i = 0; i < rows; ++i) {
    if (embedding.full()) {
      first_code[i] = embed_columns(embedding, kernels, norm2[i], scratch.row.data() + i * cols,
                                    first + i * width);
      continue;
    }
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
