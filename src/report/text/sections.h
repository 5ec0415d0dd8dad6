// The sections of the text report, in the order in which they are read: what ran, the verdict, the findings,
// the key numbers, and what is not known. Each writes nothing if it has nothing to say.
#pragma once

#include <string>

#include "core/report.h"
#include "report/text/page.h"

namespace gpuprobe::report {

/// "transpose --tile 32": the kernel with its options as they are typed.
std::string title_of(const Run& run);
/// "measured on NVIDIA H200 (sm_90)", "predicted for sm_90 (NVIDIA H200)", "recorded (measured on ...)".
std::string origin_of(const Run& run);
/// Red for a finding, green for a healthy bound, yellow for what could not be decided.
Tone tone_of(const Verdict& verdict);

/// Title, origin, launch and resources.
void write_heading(Page& page, const Run& run);
/// The verdict's kind on one line, then why.
void write_verdict(Page& page, const Verdict& verdict);
/// Findings in their order (worst first): places, evidence, gain, cure, price; with `all`, every site of
/// each. Negligible ones are one line each unless `all`.
void write_findings(Page& page, const DiagnosedRun& diagnosed, bool all);
/// What a proof came to: "expected 1.4x to 1.8x faster; measured 1.7x faster, inside the interval".
std::string outcome_of(const Proof& proof);
/// The changes that were tried: expected and measured gain, metrics before and after.
void write_proofs(Page& page, const DiagnosedRun& diagnosed);
/// The drawings of flagged accesses that the report carries.
void write_drawings(Page& page, const DiagnosedRun& diagnosed);
/// Requests, sectors, wavefronts, occupancy, time, bandwidth.
void write_numbers(Page& page, const Run& run);
/// The check of the result, hazards without a finding, sampling, notes, cures that the kernel offers, missing
/// numbers.
void write_remarks(Page& page, const DiagnosedRun& diagnosed, bool all);
/// Every metric with origin and source counters, every site (verbosity 1).
void write_details(Page& page, const Run& run);

}  // namespace gpuprobe::report
