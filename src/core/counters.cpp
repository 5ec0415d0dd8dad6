#include "core/counters.h"

namespace gpuprobe {

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::kMeasured:
      return "measured";
    case Origin::kPredicted:
      return "predicted";
    case Origin::kRecorded:
      return "recorded";
  }
  return "";
}

std::optional<Origin> origin_from_string(std::string_view name) {
  for (Origin origin : {Origin::kMeasured, Origin::kPredicted, Origin::kRecorded})
    if (to_string(origin) == name) return origin;
  return std::nullopt;
}

void Counters::set(std::string name, Value value) {
  metrics_.insert_or_assign(std::move(name), Metric{std::move(value)});
}

void Counters::set_missing(std::string name, std::string reason) {
  metrics_.insert_or_assign(std::move(name), Metric{Missing{std::move(reason)}});
}

const Metric* Counters::find(std::string_view name) const {
  const auto it = metrics_.find(name);
  return it == metrics_.end() ? nullptr : &it->second;
}

const Value* Counters::value(std::string_view name) const {
  const Metric* metric = find(name);
  return metric ? std::get_if<Value>(metric) : nullptr;
}

std::optional<double> Counters::number(std::string_view name) const {
  const Value* found = value(name);
  if (!found) return std::nullopt;
  const double* number = std::get_if<double>(&found->value);
  return number ? std::optional<double>(*number) : std::nullopt;
}

std::optional<std::string> Counters::text(std::string_view name) const {
  const Value* found = value(name);
  if (!found) return std::nullopt;
  const std::string* text = std::get_if<std::string>(&found->value);
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::string Counters::missing_reason(std::string_view name) const {
  const Metric* metric = find(name);
  if (!metric) return "not collected";
  const Missing* missing = std::get_if<Missing>(metric);
  return missing ? missing->reason : "";
}

}  // namespace gpuprobe
