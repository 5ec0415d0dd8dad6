// Runs made by hand for the tests of the rules: one call for each fact.
//
//   Run run = RunBuilder().grid(128, 128).block(32, 32).load(524288, 2097152, 2097152).build();
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/run.h"

namespace gpuprobe::diagnose {

class RunBuilder {
 public:
  /// On an H200, measured, with no traffic at all and a grid that fills the GPU for ten waves.
  RunBuilder();

  RunBuilder& predicted();
  RunBuilder& grid(std::uint32_t x, std::uint32_t y = 1);
  RunBuilder& block(std::uint32_t x, std::uint32_t y = 1);
  RunBuilder& registers(int count);
  RunBuilder& shared_bytes(std::uint32_t count);
  RunBuilder& number(const std::string& name, double value);
  RunBuilder& missing(const std::string& name, const std::string& reason);
  RunBuilder& load(double requests, double sectors, double ideal) {
    return access("global.load", requests, sectors, ideal);
  }
  RunBuilder& store(double requests, double sectors, double ideal) {
    return access("global.store", requests, sectors, ideal);
  }
  RunBuilder& shared_load(double requests, double wavefronts, double ideal) {
    return access("shared.load", requests, wavefronts, ideal);
  }
  RunBuilder& shared_store(double requests, double wavefronts, double ideal) {
    return access("shared.store", requests, wavefronts, ideal);
  }
  RunBuilder& site(const Site& site);
  /// A warp access at this line whose lane i is at byte `address(i)`, executed `requests` times. Its cost
  /// comes from the memory model; the totals of its kind grow by it.
  RunBuilder& access_at(int line, AccessKind kind, std::uint32_t width, double requests,
                        const std::function<std::uint64_t(std::uint32_t)>& address,
                        std::uint32_t active = 0xffffffffu);
  /// Distinct bytes of global loads and stores, in whole sectors.
  RunBuilder& unique(double load_bytes, double store_bytes) {
    return number("global.load.unique_bytes", load_bytes).number("global.store.unique_bytes", store_bytes);
  }
  RunBuilder& device(const DeviceSpec& spec);
  RunBuilder& dynamic_shared(std::uint32_t bytes);
  RunBuilder& hazard(HazardKind kind, const std::string& text, std::vector<Location> locations);
  RunBuilder& check_failed(const std::string& text);
  RunBuilder& cure(const std::string& finding, const std::string& options, const std::string& text);
  RunBuilder& option(const std::string& name, const std::string& value);
  RunBuilder& time_us(double value) { return number("time.duration", value * 1e-6); }
  /// Percentages of DRAM, L2, L1 and issue slots.
  RunBuilder& busy(double dram, double l2, double l1, double issue);
  Run build() const;

 private:
  RunBuilder& access(const std::string& prefix, double requests, double actual, double ideal);

  Run run_;
  int registers_ = 32;
  std::uint32_t shared_ = 0;
};

}  // namespace gpuprobe::diagnose
