// SPDX-License-Identifier: Apache-2.0
// Asks the server the same about each job that the user named, and prints the answers: as objects,
// or as the verb shows them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/readable.hpp"
#include "bins/argosyctl/output/yaml.hpp"
#include "bins/argosyctl/verbs/command.hpp"

namespace argosy::ctl {

/// Prints objects as JSON or YAML: the object itself if it is the only one that was asked for
/// (`bare`), and otherwise a list with the key `items`.
class object_printer {
 public:
  object_printer(session& s, bool bare) : s_(s), bare_(bare) {}

  [[nodiscard]] bool prints_objects() const {
    return s_.as == format::json || s_.as == format::yaml;
  }
  /// Takes the JSON of one object.
  void print(const std::string& object) {
    const bool first = printed_++ == 0;
    if (s_.as == format::json) {
      if (!bare_) s_.out.print(first ? "{\"items\":[" : ",\n");
      s_.out.print(object);
    } else {
      if (!bare_ && first) s_.out.print("items:\n");
      s_.out.print(bare_ ? yaml_of(object) : yaml_item_of(object));
    }
  }
  void finish() const {
    if (s_.as == format::json)
      s_.out.print(bare_ ? "\n" : printed_ == 0 ? "{\"items\":[]}\n" : "]}\n");
    if (s_.as == format::yaml && printed_ == 0) s_.out.print("items: []\n");
  }

 private:
  session& s_;
  bool bare_;
  std::size_t printed_ = 0;
};

/// Calls `method` for each job that `words` name, with its id in `request`. `show` prints an answer
/// for people and takes it and whether another one stands before it.
template <class Response, class Request, class Show>
result<exit_code> tell_of_jobs(session& s, const std::vector<std::string>& words,
                               const char* method, Request request, Show show,
                               repeatable again = repeatable::yes) {
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto references = expand_references(words, s.last_jobs(), s.in);
  if (!references) return fail(std::move(references.error()));
  object_printer objects{s, references->size() == 1};
  bool another = false;
  std::optional<error> wrong;
  auto done = for_each_resolved(**server, *references, [&](argosy::v1::JobSummary& job) {
    request.set_job_id(job.job_id());
    auto answer = call<Response>(**server, method, request, again);
    s.out.status("");
    if (!answer) {
      wrong = std::move(answer.error());
      return false;
    }
    if (objects.prints_objects())
      objects.print(with_readable_fields(json_of(*answer)));
    else
      show(*answer, std::exchange(another, true));
    s.out.flush();
    return !s.is_interrupted() && s.out.good();
  });
  if (wrong) return fail(std::move(*wrong));
  if (!done) return fail(std::move(done.error()));
  objects.finish();
  return exit_code::success;
}

}  // namespace argosy::ctl
