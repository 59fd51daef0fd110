// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/complete/completion.hpp"

#include <algorithm>

#include "bins/argosyctl/client/job_reference.hpp"
#include "bins/argosyctl/complete/names.hpp"
#include "bins/argosyctl/follow/wait_goal.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "runtime/access/question.hpp"

namespace argosy::ctl {

namespace {

constexpr std::string_view files = ":files";

using words_list = std::vector<std::string>;

words_list words_of(session& s, std::string_view what, const std::string& begun) {
  if (what == "rights") {
    words_list out;
    for (const auto& word : access::question_words()) add_if(out, word, begun);
    return out;
  }
  if (what == "files") return {std::string{files}};
  return names_of(s, what, begun);
}

/// The flag whose value the last word is, or null.
const CLI::Option* flag_awaiting(const CLI::App& app, const std::string& before) {
  if (!before.starts_with('-')) return nullptr;
  const auto* option = app.get_option_no_throw(before);
  return option != nullptr && option->get_expected_min() > 0 ? option : nullptr;
}

words_list values_of(const CLI::Option& option, const command* chosen, session& s,
                     const std::string& begun) {
  words_list out;
  if (option.check_lname("queue")) return names_of(s, "queues", begun);
  if (option.check_lname("jobset")) return names_of(s, "jobsets", begun);
  if (option.check_lname("context")) return names_of(s, "contexts", begun);
  if (option.check_lname("cluster")) return names_of(s, "clusters", begun);
  if (option.check_lname("node")) return names_of(s, "nodes", begun);
  if (option.check_lname("pool")) return names_of(s, "pools", begun);
  for (const auto* name :
       {"file", "filename", "password-file", "token-file", "credentials", "ca-file"})
    if (option.check_lname(name)) return {std::string{files}};
  if (option.check_lname("output") && chosen != nullptr)
    for (const auto& name : chosen->formats()) add_if(out, name, begun);
  if (option.check_lname("for"))
    for (const auto& name : goal_names) add_if(out, name, begun);
  if (option.check_lname("color"))
    for (const auto* name : {"auto", "always", "never"}) add_if(out, name, begun);
  if (option.check_lname("until")) add_if(out, "done", begun);
  if (option.check_lname("from"))
    for (const auto* name : {"start", "now"}) add_if(out, name, begun);
  if (option.check_lname("state")) {
    const auto comma = begun.rfind(',');
    const auto before = comma == std::string::npos ? std::string{} : begun.substr(0, comma + 1);
    for (const auto* name : {"queued", "leased", "pending", "running", "succeeded", "failed",
                             "preempted", "cancelled", "rejected"})
      add_if(out, before + name, begun);
  }
  return out;
}

}  // namespace

std::vector<std::string> candidates(const std::vector<std::string>& words, const CLI::App& app,
                                    const command_set& commands, session& s) {
  if (words.empty()) return {};
  const auto& begun = words.back();
  const auto* at = &app;
  std::string before;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const bool is_value = flag_awaiting(*at, before) != nullptr;
    before = words[i];
    if (is_value || before.starts_with('-')) continue;
    if (const auto* sub = find_subcommand(*at, before)) at = sub;
  }
  const auto* chosen = commands.of(at);
  if (const auto* option = flag_awaiting(*at, before)) return values_of(*option, chosen, s, begun);
  words_list out;
  const bool flags_ended = std::find(words.begin(), words.end() - 1, "--") != words.end() - 1;
  if (begun.starts_with('-') && !flags_ended) {
    for (const auto* option : at->get_options())
      if (!option->get_group().empty())
        for (const auto& name : option->get_lnames()) add_if(out, "--" + name, begun);
    return out;
  }
  for (const auto* sub : at->get_subcommands(nullptr)) add_if(out, sub->get_name(), begun);
  if (out.empty() && chosen != nullptr) {
    const bool has_verb = chosen->completes() == "rights" && access::parse_question(before);
    return words_of(s, has_verb ? "queues" : chosen->completes(), begun);
  }
  const bool of_jobs = at->get_name() == "get" || at->get_name() == "describe";
  if (out.empty() && of_jobs && names_a_job(begun)) return names_of(s, "jobs", begun);
  return out;
}

exit_code complete_words(std::vector<std::string> words, const CLI::App& app, command_set& commands,
                         session& s) {
  // bash hands over "--flag=value" as three words, the other shells as one.
  if (!words.empty() && words.back() == "=") words.back().clear();
  std::erase(words, "=");
  std::string flag;
  if (!words.empty() && words.back().starts_with("--"))
    if (const auto equals = words.back().find('='); equals != std::string::npos) {
      flag = words.back().substr(0, equals + 1);
      words.push_back(words.back().substr(equals + 1));
      words[words.size() - 2].resize(equals);
    }
  for (const auto& word : candidates(words, app, commands, s))
    s.out.print_line(escaped(word == files ? word : flag + word));
  s.out.flush();
  return exit_code::success;
}

std::string bash_script() {
  return R"(# bash completion for argosyctl; load it with: source <(argosyctl completion bash)
_argosyctl() {
  local cur words cword line
  COMPREPLY=()
  words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  cur="${COMP_WORDS[COMP_CWORD]}"
  while IFS= read -r line; do
    if [[ "$line" == ":files" ]]; then
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "$cur"))
    else
      COMPREPLY+=("$line")
    fi
  done < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
}
complete -F _argosyctl argosyctl
)";
}

std::string zsh_script() {
  return R"(#compdef argosyctl
# zsh completion for argosyctl; load it with: source <(argosyctl completion zsh)
# or save it as _argosyctl in a folder of $fpath.
_argosyctl() {
  local line
  local -a found
  while IFS= read -r line; do
    if [[ "$line" == ":files" ]]; then
      _files
    else
      found+=("$line")
    fi
  done < <("${words[1]}" __complete "${(@)words[2,$CURRENT]}" 2>/dev/null)
  (( ${#found} )) && compadd -- "${found[@]}"
}
if [[ "${funcstack[1]}" == "_argosyctl" ]]; then
  _argosyctl "$@"
else
  (( ${+functions[compdef]} )) || { autoload -Uz compinit && compinit; }
  compdef _argosyctl argosyctl
fi
)";
}

std::string fish_script() {
  return R"(# fish completion for argosyctl; load it with: argosyctl completion fish | source
function __argosyctl_complete
    set -l words (commandline -opc)
    set -l begun (commandline -ct)
    test (count $begun) -eq 0; and set begun ""
    for line in (command $words[1] __complete $words[2..-1] "$begun" 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path "$begun"
        else
            echo $line
        end
    end
end
complete -c argosyctl -f -a '(__argosyctl_complete)'
)";
}

}  // namespace argosy::ctl
