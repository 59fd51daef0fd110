// SPDX-License-Identifier: Apache-2.0
// Words of kubectl, Slurm, HTCondor, Grid Engine and Nomad that users may type out of habit.
#include <algorithm>
#include <array>
#include <string_view>

#include "bins/argosyctl/verbs/mistakes.hpp"

namespace argosy::ctl {

namespace {

struct foreign_word {
  /// The word that stands in front of it; empty: the word itself stands where a verb does.
  std::string_view verb;
  std::string_view word;
  std::string_view meaning;
};

constexpr std::string_view get_jobs = "get jobs";
constexpr std::string_view one_job = "describe job ID";
constexpr std::string_view one_queue = "describe queue NAME";

constexpr auto foreign_words = std::to_array<foreign_word>({
    {"", "list", get_jobs},
    {"", "ls", get_jobs},
    {"", "ps", get_jobs},
    {"", "job", get_jobs},
    {"", "jobs", get_jobs},
    {"", "squeue", get_jobs},
    {"", "qstat", get_jobs},
    {"", "condor_q", get_jobs},
    {"", "bjobs", get_jobs},
    {"", "sacct", "get jobs --state succeeded,failed"},
    {"", "jobset", "get jobsets"},
    {"", "jobsets", "get jobsets"},
    {"", "queues", "get queues"},
    {"", "sshare", "get queues"},
    {"", "share", "get queues"},
    {"", "node", "get nodes"},
    {"", "nodes", "get nodes"},
    {"", "sinfo", "get nodes"},
    {"", "condor_status", "get nodes"},
    {"", "cluster", "get clusters"},
    {"", "clusters", "get clusters"},
    {"", "pools", "get pools"},
    {"", "top", "get queues -w"},
    {"", "show", one_job},
    {"", "why", "explain ID"},
    {"", "inspect", one_job},
    {"", "scontrol", one_job},
    {"", "alloc", one_job},
    {"", "create", "submit FILE, or queue create NAME"},
    {"", "sbatch", "submit FILE"},
    {"", "srun", "run -q QUEUE -- COMMAND"},
    {"", "qsub", "submit FILE"},
    {"", "bsub", "submit FILE"},
    {"", "condor_submit", "submit FILE"},
    {"", "delete", "cancel ID, or queue delete NAME"},
    {"", "rm", "cancel ID"},
    {"", "kill", "cancel ID"},
    {"", "stop", "cancel ID"},
    {"", "abort", "cancel ID"},
    {"", "scancel", "cancel ID"},
    {"", "qdel", "cancel ID"},
    {"", "bkill", "cancel ID"},
    {"", "condor_rm", "cancel ID"},
    {"", "suspend", "hold ID"},
    {"", "qhold", "hold ID"},
    {"", "bstop", "hold ID"},
    {"", "condor_hold", "hold ID"},
    {"", "resume", "release ID"},
    {"", "unhold", "release ID"},
    {"", "qrls", "release ID"},
    {"", "bresume", "release ID"},
    {"", "condor_release", "release ID"},
    {"", "log", "logs ID"},
    {"", "tail", "logs -f ID"},
    {"", "attach", "logs -f ID"},
    {"", "events", "watch QUEUE SET"},
    {"", "follow", "watch QUEUE SET"},
    {"", "prio", "reprioritize PRIORITY ID"},
    {"", "priority", "reprioritize PRIORITY ID"},
    {"", "cordon", "queue update NAME --cordon"},
    {"", "edit", "queue update NAME"},
    {"", "contexts", "config get-contexts"},
    {"", "logout", "config delete-context NAME"},
    {"queue", "list", "get queues"},
    {"queue", "get", one_queue},
    {"queue", "show", one_queue},
    {"queue", "describe", one_queue},
});

bool is_of_pods(const std::string& word) {
  constexpr std::array<std::string_view, 6> names{"pod", "pods", "po", "all", "runs", "allocs"};
  return std::find(names.begin(), names.end(), word) != names.end();
}

}  // namespace

std::string foreign_meaning(const std::string& verb, const std::string& word) {
  for (const auto& known : foreign_words)
    if (known.verb == verb && known.word == word) return std::string{known.meaning};
  if ((verb == "get" || verb == "describe") && is_of_pods(word))
    return verb == "get" ? std::string{get_jobs} : std::string{one_job};
  return {};
}

}  // namespace argosy::ctl
