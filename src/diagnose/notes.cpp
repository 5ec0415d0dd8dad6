#include "diagnose/notes.h"

#include <fmt/format.h>

#include "diagnose/phrase.h"

namespace gpuprobe::diagnose {
namespace {

double hardware_conflicts(const Context& context, const char* counter, const AccessTotals& totals) {
  if (!totals.known() || totals.excess() > 0) return 0;
  return context.run.counters.number(counter).value_or(0);
}

}  // namespace

std::string notes_for(const Context& context) {
  std::string notes;
  const double noise = hardware_conflicts(context, "shared.conflicts_hw.load", context.traffic.shared_load) +
                       hardware_conflicts(context, "shared.conflicts_hw.store", context.traffic.shared_store);
  if (noise > 0)
    notes += fmt::format(
        "; the {} bank conflicts that the hardware counts are arbitration between users of the data stage, "
        "not conflicts of addresses: no layout cures them",
        grouped(noise));
  const double texture = context.run.counters.number("texture.instructions").value_or(0);
  if (texture > 0) notes += fmt::format("; {} texture instructions are not covered", grouped(texture));
  const double bulk = context.run.counters.number("tma.instructions").value_or(0);
  if (bulk > 0) notes += fmt::format("; {} bulk or tensor copies (TMA) are not covered", grouped(bulk));
  return notes;
}

}  // namespace gpuprobe::diagnose
