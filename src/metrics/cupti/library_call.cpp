#include "metrics/cupti/library_call.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace gpuprobe::cupti {
namespace {

constexpr std::size_t kBuffers = 3;
constexpr std::size_t kNumbers = 4;

}  // namespace

Result<LibraryCall::Product> LibraryCall::read(const Step& step, const DeviceBuffers& buffers) {
  const auto defect = [&step] {
    return fail(ErrorCode::kDefect, "The call of " + step.entry + " is not one that gpuprobe can make.",
                "Please report it with the command line that you typed.");
  };
  if (step.entry != "cublasSgemm" || step.args.size() != kBuffers + kNumbers) return defect();
  float* matrices[kBuffers];
  for (std::size_t i = 0; i < kBuffers; ++i) {
    const auto* reference = std::get_if<BufferRef>(&step.args[i]);
    if (!reference) return defect();
    matrices[i] = reinterpret_cast<float*>(buffers.address(reference->buffer) + reference->byte_offset);
  }
  std::int32_t numbers[kNumbers];
  for (std::size_t i = 0; i < kNumbers; ++i) {
    const auto* scalar = std::get_if<Scalar>(&step.args[kBuffers + i]);
    if (!scalar || scalar->bits.size() != sizeof numbers[i]) return defect();
    std::memcpy(&numbers[i], scalar->bits.data(), sizeof numbers[i]);
  }
  return Product{matrices[0], matrices[1], matrices[2], numbers[0], numbers[1], numbers[2], numbers[3] != 0};
}

Result<LibraryCall> LibraryCall::bind(const CublasApi& cublas, const Step& step,
                                      const DeviceBuffers& buffers) {
  const auto product = read(step, buffers);
  if (!product) return tl::unexpected(product.error());
  LibraryCall call(cublas, *product);
  if (auto status = check_cublas(cublas, cublas.Create(&call.handle_), "starting"); !status) {
    call.handle_ = nullptr;
    return tl::unexpected(status.error());
  }
  const auto math = product->tf32 ? CublasApi::kTf32 : CublasApi::kDefaultMath;
  if (auto status = check_cublas(cublas, cublas.SetMathMode(call.handle_, math), "choosing its arithmetic");
      !status)
    return tl::unexpected(status.error());
  return call;
}

LibraryCall::LibraryCall(LibraryCall&& other) noexcept
    : cublas_(other.cublas_), handle_(std::exchange(other.handle_, nullptr)), product_(other.product_) {}

LibraryCall::~LibraryCall() {
  if (handle_) cublas_->Destroy(handle_);
}

Status LibraryCall::queue() const {
  // cuBLAS stores column by column, in which our rows of c are its columns: c^T = b^T a^T.
  const float one = 1;
  const float zero = 0;
  const Product& p = product_;
  return check_cublas(*cublas_,
                      cublas_->Sgemm(handle_, CublasApi::kAsIs, CublasApi::kAsIs, p.n, p.m, p.k, &one, p.b,
                                     p.n, p.a, p.k, &zero, p.c, p.n),
                      fmt::format("multiplying {} x {} by {} x {}", p.m, p.k, p.k, p.n));
}

std::string LibraryCall::version() const {
  int version = 0;
  if (cublas_->GetVersion(handle_, &version) != CublasApi::kSuccess) return "cuBLAS";
  // major x 10000 + minor x 100 + patch (CUBLAS_VERSION).
  return fmt::format("cuBLAS {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace gpuprobe::cupti
