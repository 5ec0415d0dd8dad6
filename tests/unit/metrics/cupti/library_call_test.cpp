// A library call over a fake cuBLAS: what is asked of it, what its failures say, and where it is looked for.
#include "metrics/cupti/library_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "metrics/cupti/library_search.h"
#include "support/temporary_folder.h"
#include "unit/metrics/cupti/fake_driver.h"

namespace gpuprobe::cupti {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// What the fake was asked, and how it answers.
struct FakeCublas {
  CublasApi::Status answer = CublasApi::kSuccess;
  CublasApi::Status create_answer = CublasApi::kSuccess;
  CublasApi::Math math = CublasApi::kDefaultMath;
  int created = 0;
  int destroyed = 0;
};

FakeCublas& fake_cublas() {
  static FakeCublas state;
  return state;
}

/// A product computed on the CPU as the library's documentation defines it: column by column.
CublasApi make_fake_cublas() {
  fake_cublas() = {};
  CublasApi api;
  api.Create = [](CublasApi::Handle* handle) {
    *handle = fake_handle<CublasApi::Handle>(0x50);
    fake_cublas().created += fake_cublas().create_answer == CublasApi::kSuccess;
    return fake_cublas().create_answer;
  };
  api.Destroy = [](CublasApi::Handle) {
    ++fake_cublas().destroyed;
    return CublasApi::kSuccess;
  };
  api.SetMathMode = [](CublasApi::Handle, CublasApi::Math math) {
    fake_cublas().math = math;
    return CublasApi::kSuccess;
  };
  api.GetVersion = [](CublasApi::Handle, int* version) {
    *version = 130102;
    return CublasApi::kSuccess;
  };
  api.GetStatusString = [](CublasApi::Status) { return "NO_REASON"; };
  api.Sgemm = [](CublasApi::Handle, CublasApi::Operation, CublasApi::Operation, int m, int n, int k,
                 const float* alpha, const float* a, int lda, const float* b, int ldb, const float* beta,
                 float* c, int ldc) {
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < m; ++row) {
        float sum = 0;
        for (int i = 0; i < k; ++i) sum += a[i * lda + row] * b[column * ldb + i];
        float& out = c[column * ldc + row];
        out = *alpha * sum + (*beta == 0 ? 0 : *beta * out);
      }
    return fake_cublas().answer;
  };
  return api;
}

class LibraryCalls : public testing::Test {
 protected:
  LibraryCalls() : driver_(make_fake_driver()), cublas_(make_fake_cublas()) {
    const ElementType f32 = *element_type_from_string("f32");
    kernel_.buffers = {{"a", f32, 6, {}}, {"b", f32, 12, {}}, {"c", f32, 8, {}}};
    buffers_.emplace(*DeviceBuffers::allocate(driver_, kernel_));
  }

  Step product(int tf32 = 0) const {
    return Step::library_call("cublasSgemm", {BufferRef{0}, BufferRef{1}, BufferRef{2}, Scalar::i32(2),
                                              Scalar::i32(4), Scalar::i32(3), Scalar::i32(tf32)});
  }
  float* on_device(std::size_t buffer) { return reinterpret_cast<float*>(buffers_->address(buffer)); }

  DriverApi driver_;
  CublasApi cublas_;
  Kernel kernel_;
  std::optional<DeviceBuffers> buffers_;
};

TEST_F(LibraryCalls, MultipliesMatricesThatAreStoredRowByRow) {
  for (int i = 0; i < 6; ++i) on_device(0)[i] = static_cast<float>(i + 1);   // 2 x 3
  for (int i = 0; i < 12; ++i) on_device(1)[i] = static_cast<float>(i % 5);  // 3 x 4
  for (int i = 0; i < 8; ++i) on_device(2)[i] = -1;                          // must not be added
  const auto call = LibraryCall::bind(cublas_, product(), *buffers_);
  ASSERT_TRUE(call) << call.error().what;
  ASSERT_TRUE(call->queue());
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 4; ++column) {
      float sum = 0;
      for (int i = 0; i < 3; ++i) sum += on_device(0)[row * 3 + i] * on_device(1)[i * 4 + column];
      EXPECT_EQ(on_device(2)[row * 4 + column], sum) << row << " " << column;
    }
}

TEST_F(LibraryCalls, UsesTensorCoresOnlyWhenAsked) {
  ASSERT_TRUE(LibraryCall::bind(cublas_, product(0), *buffers_));
  EXPECT_EQ(fake_cublas().math, CublasApi::kDefaultMath);
  ASSERT_TRUE(LibraryCall::bind(cublas_, product(1), *buffers_));
  EXPECT_EQ(fake_cublas().math, CublasApi::kTf32);
}

TEST_F(LibraryCalls, EndsTheLibraryOnceUnlessAbandoned) {
  {
    auto call = LibraryCall::bind(cublas_, product(), *buffers_);
    const LibraryCall moved = std::move(*call);
    EXPECT_EQ(moved.version(), "cuBLAS 13.1.2");
  }
  EXPECT_EQ(fake_cublas().created, 1);
  EXPECT_EQ(fake_cublas().destroyed, 1);
  {
    auto call = LibraryCall::bind(cublas_, product(), *buffers_);
    call->abandon();
  }
  EXPECT_EQ(fake_cublas().destroyed, 1);
}

TEST_F(LibraryCalls, FailuresSayWhatWasDoneAndWhy) {
  fake_cublas().answer = static_cast<CublasApi::Status>(13);
  auto call = LibraryCall::bind(cublas_, product(), *buffers_);
  ASSERT_TRUE(call);
  const auto failed = call->queue();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kMachine);
  EXPECT_THAT(failed.error().what, HasSubstr("multiplying 2 x 3 by 3 x 4: NO_REASON (status 13)"));
  EXPECT_FALSE(failed.error().hint.empty());

  const int destroyed = fake_cublas().destroyed;
  fake_cublas().create_answer = static_cast<CublasApi::Status>(1);
  const auto started = LibraryCall::bind(cublas_, product(), *buffers_);
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().what, HasSubstr("starting"));
  EXPECT_EQ(fake_cublas().destroyed, destroyed) << "what did not start is not ended";
}

TEST_F(LibraryCalls, OnlyTheKnownCallIsMade) {
  Step other = product();
  other.entry = "cublasDgemm";
  Step short_of_one = product();
  short_of_one.args.pop_back();
  Step scalar_first = product();
  scalar_first.args[0] = Scalar::i32(1);
  Step wide = product();
  wide.args[4] = Scalar::i64(4);
  for (const Step& step : {other, short_of_one, scalar_first, wide}) {
    const auto call = LibraryCall::bind(cublas_, step, *buffers_);
    ASSERT_FALSE(call);
    EXPECT_EQ(call.error().code, ErrorCode::kDefect);
  }
  EXPECT_EQ(fake_cublas().created, 0);
}

/// Sets an environment variable for one test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

TEST(Cublas, ThatIsNotThereIsAClearMessage) {
  const Environment chosen("GPUPROBE_CUBLAS", "/nowhere/libcublas.so");
  const auto api = load_cublas();
  ASSERT_FALSE(api);
  EXPECT_EQ(api.error().code, ErrorCode::kMachine);
  EXPECT_THAT(api.error().what, HasSubstr("was not found"));
  EXPECT_THAT(api.error().what, HasSubstr("/nowhere/libcublas.so"));
  EXPECT_THAT(api.error().hint, HasSubstr("GPUPROBE_CUBLAS"));
}

TEST(LibrarySearch, AChoiceIsNotReplacedByAnotherLibrary) {
  const LibraryPlaces places{"libsome.so", "GPUPROBE_TEST_LIBRARY", {}, {}, {"libsome.so"}};
  EXPECT_THAT(library_candidates(places), testing::Contains("libsome.so"));
  {
    const Environment file("GPUPROBE_TEST_LIBRARY", "/nowhere/libsome.so.1");
    EXPECT_THAT(library_candidates(places), ElementsAre("/nowhere/libsome.so.1"));
  }
  const test::TemporaryFolder folder;
  const std::string second = folder.write("libsome.so.2", "");
  const std::string first = folder.write("libsome.so", "");
  folder.write("libother.so", "");
  const Environment chosen("GPUPROBE_TEST_LIBRARY", folder.path());
  EXPECT_THAT(library_candidates(places), ElementsAre(first, second));
}

}  // namespace
}  // namespace gpuprobe::cupti
