// SPDX-License-Identifier: Apache-2.0
// witness-check URL CREDENTIALS TRACES ACKNOWLEDGED [unfinished] [JOB...]: reads the log of the
// server, the folder with the traces of jobs and the file of acknowledged jobs, and prints the
// verdict, and all that the log has about the jobs that are named. The exit code is 0 if all
// promises held. CREDENTIALS may be "-" where the server asks for none. With `unfinished`, jobs
// need not have ended.
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

#include "bins/shared/standard_files.hpp"
#include "bins/simulator/witness/verdict.hpp"
#include "tests/support/witness/remote_log.hpp"

namespace {

using namespace argosy;

/// Prints one line about the event.
void print(std::uint64_t record, const model::event& event) {
  std::cout << "record " << record << ", " << event.time_ns / 1'000'000
            << " ms: " << model::name_of(event.payload);
  std::visit(
      [](const auto& one) {
        if constexpr (requires { one.run.number; }) std::cout << ", run " << one.run.number;
        if constexpr (requires { one.cluster.str(); }) std::cout << " on " << one.cluster.str();
        if constexpr (requires { one.reason.size(); }) std::cout << ": " << one.reason;
        if constexpr (requires { one.outcome.reason; })
          std::cout << ": " << one.outcome.reason << " " << one.outcome.message;
      },
      event.payload);
  std::cout << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  argosy::open_standard_files();
  using namespace argosy::witness;
  if (argc < 5) {
    std::cerr << "usage: witness-check URL CREDENTIALS TRACES ACKNOWLEDGED [unfinished] [JOB...]\n";
    return 2;
  }
  log_story story;
  const bool unfinished = argc > 5 && std::strcmp(argv[5], "unfinished") == 0;
  const std::set<std::string> named{argv + (unfinished ? 6 : 5), argv + argc};
  const std::string credentials = argv[2];
  const auto counts = read_log_of(argv[1], credentials == "-" ? "" : credentials,
                                  [&](std::uint64_t record, const model::event& event) {
                                    story.add(record, event);
                                    if (!named.empty() && named.contains(to_string(job_of(event))))
                                      print(record, event);
                                  });
  story.finish();
  if (!counts) {
    std::cerr << to_string(counts.error()) << "\n";
    return 1;
  }
  std::ifstream file{argv[4]};
  const std::string told{std::istreambuf_iterator<char>{file}, {}};
  const auto found =
      judge(story, read_traces(argv[3]), parse_acknowledged(told), {.all_over = !unfinished});
  std::cout << "log: " << counts->records << " records of " << counts->generations
            << " generations, " << story.events() << " events, " << counts->foreign << " foreign\n"
            << to_text(found);
  return found.good() ? 0 : 3;
}
