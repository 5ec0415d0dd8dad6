// docs/accuracy.md: what evaluate_accuracy() and add_nsight() found, in Markdown.
//
//   accuracy_document(accuracy, "runs.json")     // judged from recordings: `gpuprobe accuracy --from
//   runs.json`
#pragma once

#include <string>

#include "cli/accuracy/evaluate.h"

namespace gpuprobe::cli {

/// The whole document. `from` is the file whose recorded runs were judged; "" = they ran for the document.
std::string accuracy_document(const Accuracy& accuracy, const std::string& from);

/// Its part about Nsight Compute; "" if it saw nothing.
std::string nsight_section(const Accuracy& accuracy);

/// "24 (83 %)".
std::string share(std::size_t part, std::size_t whole);

}  // namespace gpuprobe::cli
