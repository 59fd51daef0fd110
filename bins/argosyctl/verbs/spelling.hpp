// SPDX-License-Identifier: Apache-2.0
// Rearranges the words of the command line before they are parsed: kinds move behind their verb,
// job ids may stand where a kind may, and armadactl's spellings are accepted. Help and completion
// do not show these.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace argosy::ctl {

/// The same words as argosyctl spells them:
///   create|update|delete queue …   queue create|update|delete …
///   create -f FILE                 queue create -f FILE
///   cordon|uncordon queue NAME     queue update NAME --cordon|--uncordon
///   --jobSet, --jobId ID           --jobset, ID
///   watch … --exit-if-inactive     watch … --until=done
///   watch … --raw                  watch … -o jsonl
///   help VERB                      VERB --help
/// and "get -o json jobs" as "get jobs -o json", "get 01k…" as "get job 01k…".
[[nodiscard]] std::vector<std::string> settled_words(const CLI::App& app,
                                                     std::vector<std::string> words);

}  // namespace argosy::ctl
