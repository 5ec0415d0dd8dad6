// The CUPTI Profiler Host: what a chip can count, in how many passes, and the values in collected data. It
// answers for every chip that CUPTI knows, with no GPU and no driver.
//
//   auto host = ProfilerHost::open(api, "gh100");
//   auto config = host->config_image({"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "metrics/cupti/cupti_api.h"

namespace gpuprobe::cupti {

/// The chips that this CUPTI knows, in lower case.
Result<std::vector<std::string>> supported_chips(const CuptiApi& api);

/// What a chip says about a metric.
struct MetricProperties {
  std::string hardware_unit;  ///< "l1tex"
  std::string dimension;      ///< "l1tex_request", "percent", ...
  std::string description;
};

/// The schedule for a set of metrics.
struct ConfigImage {
  std::vector<std::uint8_t> bytes;
  std::size_t passes = 0;
};

class ProfilerHost {
 public:
  /// `chip` in any case. Errors: kMachine if this CUPTI does not know it.
  static Result<ProfilerHost> open(const CuptiApi& api, const std::string& chip);

  ProfilerHost(ProfilerHost&& other) noexcept;
  ProfilerHost& operator=(ProfilerHost&& other) noexcept;
  ProfilerHost(const ProfilerHost&) = delete;
  ProfilerHost& operator=(const ProfilerHost&) = delete;
  ~ProfilerHost();

  /// Errors: kMachine if the chip has no such metric.
  Result<MetricProperties> properties(const std::string& metric) const;
  /// Schedules exactly `metrics`. Errors: kMachine if the chip lacks one of them.
  Result<ConfigImage> config_image(const std::vector<std::string>& metrics) const;
  /// The values of `metrics` (full names, in this order) in range 0 of collected counter data.
  Result<std::vector<double>> evaluate(const std::vector<std::uint8_t>& counter_data,
                                       const std::vector<std::string>& metrics) const;

 private:
  ProfilerHost(const CuptiApi& api, std::string chip, CUpti_Profiler_Host_Object* object)
      : api_(&api), chip_(std::move(chip)), object_(object) {}

  const CuptiApi* api_;
  std::string chip_;  ///< as CUPTI spells it
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

}  // namespace gpuprobe::cupti
