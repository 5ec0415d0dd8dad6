#include "report/writers/json/document.h"

namespace gpuprobe::report {
namespace {

Json to_json(const LanePattern& pattern) {
  return {{"active", pattern.active}, {"width", pattern.width}, {"address", pattern.address}};
}

Json optional_number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json to_json(const MetricChange& change) {
  return {{"metric", change.metric},
          {"unit", gpuprobe::to_string(change.unit)},
          {"before", optional_number(change.before)},
          {"after", optional_number(change.after)}};
}

Json to_json(const Gain& gain) {
  return {{"low", number(gain.low)}, {"high", number(gain.high)}, {"reasoning", gain.reasoning}};
}

Json to_json(const Evidence& evidence) {
  return {{"metric", evidence.metric},
          {"value", number(evidence.value)},
          {"unit", gpuprobe::to_string(evidence.unit)},
          {"text", evidence.text}};
}

}  // namespace

Json to_json(const Site& site) {
  Json json = {{"file", site.file},
               {"line", site.line},
               {"function", site.function},
               {"instruction", site.instruction},
               {"access", gpuprobe::to_string(site.access)},
               {"width", site.width},
               {"requests", number(site.requests)},
               {"actual", number(site.actual)},
               {"ideal", number(site.ideal)},
               {"lines", number(site.lines)},
               {"active_lanes", number(site.active_lanes)},
               {"misaligned_excess", number(site.misaligned_excess)},
               {"same_address_lanes", number(site.same_address_lanes)},
               {"depends_on_merging", site.depends_on_merging}};
  if (site.worst) json["worst"] = to_json(*site.worst);
  return json;
}

Json to_json(const Verdict& verdict) {
  return {{"kind", verdict.kind}, {"text", verdict.text}};
}

Json to_json(const Finding& finding) {
  Json json = {{"kind", gpuprobe::to_string(finding.kind)},
               {"severity", gpuprobe::to_string(finding.severity)},
               {"text", finding.text}};
  json["sites"] = Json::array();
  for (const Site& site : finding.sites) json["sites"].push_back(to_json(site));
  json["evidence"] = Json::array();
  for (const Evidence& evidence : finding.evidence) json["evidence"].push_back(to_json(evidence));
  json["gain"] = nullptr;
  if (finding.gain) json["gain"] = to_json(*finding.gain);
  json["cure"] = finding.cure;
  json["price"] = finding.price;
  return json;
}

Json to_json(const Proof& proof) {
  Json json = {{"finding", proof.finding}, {"change", proof.change}, {"text", proof.text}};
  json["expected"] = proof.expected ? to_json(*proof.expected) : Json(nullptr);
  json["gain"] = proof.gain ? Json{{"value", number(*proof.gain)}} : Json{{"missing", proof.missing}};
  json["inside"] = proof.expected && proof.gain ? Json(proof.inside()) : Json(nullptr);
  json["metrics"] = Json::array();
  for (const MetricChange& change : proof.metrics) json["metrics"].push_back(to_json(change));
  json["after"] = proof.after;
  json["gone"] = proof.gone;
  return json;
}

}  // namespace gpuprobe::report
