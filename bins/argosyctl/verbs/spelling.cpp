// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/spelling.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/verbs/command.hpp"

namespace argosy::ctl {

namespace {

/// The place in `words` of the first argument that is not a flag or a flag's value.
std::size_t first_positional(const CLI::App& app, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (!word.starts_with('-') || word == "-") return i;
    const auto* option = app.get_option_no_throw(word);
    if (option != nullptr && option->get_expected_min() > 0) ++i;
  }
  return words.size();
}

/// Puts the kind right behind its verb ("get -o json jobs"), or "job" where the word is a job's id:
/// "get 01k…" and "describe 01k…" mean a job, since a job's id is always enough.
void settle_kind(const CLI::App& app, std::vector<std::string>& words) {
  const auto verb_at = first_positional(app, words);
  if (verb_at == words.size()) return;
  const auto* chosen = find_subcommand(app, words[verb_at]);
  if (chosen == nullptr || chosen->get_subcommands(nullptr).empty()) return;
  const auto behind = words.begin() + static_cast<std::ptrdiff_t>(verb_at) + 1;
  const std::vector<std::string> rest(behind, words.end());
  const auto kind = behind + static_cast<std::ptrdiff_t>(
                                 first_positional(*chosen->get_subcommands(nullptr).front(), rest));
  if (kind == words.end()) return;
  const bool of_jobs = words[verb_at] == "get" || words[verb_at] == "describe";
  if (of_jobs && names_a_job(*kind))
    words.insert(behind, "job");
  else
    std::rotate(behind, kind, kind + 1);
}

/// Replaces the spellings of flags, which stand in front of an equals sign or alone. If the new
/// spelling is empty, the value stays, which the parser then takes as a positional; a missing value
/// becomes an empty one, which the verb refuses. The words behind `--` are names, not flags.
void respell_flags(std::vector<std::string>& words) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> flags{
      {{"--jobSet", "--jobset"},
       {"--job-set", "--jobset"},
       {"--jobSetId", "--jobset"},
       {"--jobId", ""},
       {"--job-id", ""}}};
  for (auto word = words.begin(); word != words.end() && *word != "--";) {
    const auto name = std::string_view{*word}.substr(0, word->find('='));
    const auto* const known = std::find_if(flags.begin(), flags.end(),
                                           [&](const auto& flag) { return flag.first == name; });
    if (known == flags.end()) {
      ++word;
      continue;
    }
    const auto rest = word->substr(name.size());
    const auto next = word + 1;
    const bool has_value =
        !rest.empty() || (next != words.end() && (!next->starts_with('-') || *next == "-"));
    if (!known->second.empty())
      *word = std::string{known->second} + rest;
    else
      *word = rest.empty() ? rest : rest.substr(1);
    word = known->second.empty() && rest.empty() && has_value ? words.erase(word) : next;
  }
}

bool is_queue_kind(const std::string& word) {
  return word == "queue" || word == "queues";
}

/// The verb that has the other one below it: "cordon node" is "node cordon". Empty: there is none.
std::string_view noun_of(std::string_view verb, std::string_view kind) {
  const bool sets = verb == "create" || verb == "update" || verb == "delete";
  if (sets && (kind == "retry-policy" || kind == "retry-policies")) return "retry-policy";
  if (verb == "release" && kind == "node") return "node";
  if (verb != "cordon" && verb != "uncordon" && verb != "drain") return {};
  if (kind == "node" || kind == "nodes") return "node";
  return kind == "cluster" || kind == "executor" ? "cluster" : "";
}

/// Says `--reason` before the second word that is no flag: armadactl writes "cordon executor NAME
/// REASON". `from` is where the words of the verb begin.
void mark_reason(const CLI::App& cordon, std::vector<std::string>& words, std::size_t from) {
  const auto begin = [&](std::size_t at) {
    return words.begin() + static_cast<std::ptrdiff_t>(at);
  };
  const auto name = from + first_positional(cordon, {begin(from), words.end()});
  if (name >= words.size()) return;
  const auto reason = name + 1 + first_positional(cordon, {begin(name + 1), words.end()});
  if (reason < words.size()) words.insert(begin(reason), "--reason");
}

/// Replaces the spellings of verbs. `verb_at` is the place of the verb.
void respell_verb(const CLI::App& app, std::vector<std::string>& words, std::size_t verb_at) {
  const auto verb = words[verb_at];
  const std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(verb_at) + 1,
                                      words.end());
  const auto* queue = find_subcommand(app, "queue");
  const auto kind_at = first_positional(*find_subcommand(*queue, "create"), rest);
  const bool of_queue = kind_at < rest.size() && is_queue_kind(rest[kind_at]);
  const bool of_file = verb == "create" && kind_at == rest.size();
  const auto place = words.begin() + static_cast<std::ptrdiff_t>(verb_at);
  const auto drop_kind = [&] {
    if (of_queue) words.erase(place + 1 + static_cast<std::ptrdiff_t>(kind_at));
  };
  if ((verb == "create" || verb == "update" || verb == "delete") && (of_queue || of_file)) {
    drop_kind();
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(verb_at), "queue");
  } else if ((verb == "cordon" || verb == "uncordon") && of_queue) {
    drop_kind();
    words[verb_at] = "update";
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(verb_at), "queue");
    words.push_back("--" + verb);
  } else if (const auto noun = noun_of(verb, kind_at < rest.size() ? rest[kind_at] : std::string{});
             !noun.empty()) {
    words.erase(place + 1 + static_cast<std::ptrdiff_t>(kind_at));
    words.emplace(words.begin() + static_cast<std::ptrdiff_t>(verb_at), noun);
    if (verb == "cordon")
      mark_reason(*find_subcommand(*find_subcommand(app, "cluster"), "cordon"), words, verb_at + 2);
  }
}

void respell_watch(std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == "--exit-if-inactive") words[i] = "--until=done";
    if (words[i] == "--raw") {
      words[i] = "-o";
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, "jsonl");
    }
  }
}

}  // namespace

std::vector<std::string> settled_words(const CLI::App& app, std::vector<std::string> words) {
  respell_flags(words);
  const auto verb_at = first_positional(app, words);
  if (verb_at == words.size()) return words;
  if (words[verb_at] == "help") {
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(verb_at));
    words.push_back("--help");
    return words;
  }
  if (words[verb_at] == "watch") respell_watch(words);
  respell_verb(app, words, verb_at);
  settle_kind(app, words);
  return words;
}

}  // namespace argosy::ctl
