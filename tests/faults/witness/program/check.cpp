// SPDX-License-Identifier: Apache-2.0
// witness-check URL CREDENTIALS TRACES ACKNOWLEDGED [unfinished]: reads the log of the server, the
// folder with the traces of jobs and the file of acknowledged jobs, and prints the verdict. The
// exit code is 0 if all promises held. CREDENTIALS may be "-" where the server asks for none. With
// `unfinished`, jobs need not have ended.
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

#include "tests/support/witness/log_reader.hpp"
#include "tests/support/witness/verdict.hpp"

int main(int argc, char** argv) {
  using namespace argosy::witness;
  if (argc < 5) {
    std::cerr << "usage: witness-check URL CREDENTIALS TRACES ACKNOWLEDGED [unfinished]\n";
    return 2;
  }
  log_story story;
  const std::string credentials = argv[2];
  const auto counts = read_log_of(argv[1], credentials == "-" ? "" : credentials, story);
  if (!counts) {
    std::cerr << to_string(counts.error()) << "\n";
    return 1;
  }
  std::ifstream file{argv[4]};
  const std::string told{std::istreambuf_iterator<char>{file}, {}};
  const bool unfinished = argc > 5 && std::strcmp(argv[5], "unfinished") == 0;
  const auto found =
      judge(story, read_traces(argv[3]), parse_acknowledged(told), {.all_over = !unfinished});
  std::cout << "log: " << counts->records << " records of " << counts->generations
            << " generations, " << story.events() << " events, " << counts->foreign << " foreign\n"
            << to_text(found);
  return found.good() ? 0 : 3;
}
