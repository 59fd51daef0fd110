// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/jobs/submit_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <thread>

#include "bins/argosyctl/client/input.hpp"
#include "messages/codec/submit/own_annotations.hpp"
#include "messages/submit_file/locate.hpp"
#include "runtime/model/queue.hpp"

namespace argosy::ctl {

namespace {

constexpr std::size_t jobs_per_request = 1'000;  // A gang may be larger.
constexpr std::size_t waiting_jobs_per_request = 100'000;
constexpr std::size_t file_size_max = 2u << 30;

constexpr const char* stdin_name = "-";

/// A file as it was read and understood.
struct read_one {
  std::string shown;
  result<std::string> text = std::string{};
  result<submit_file::job_file> content = submit_file::job_file{};
};

/// Jobs without a name are called as their file, without its folder and ending.
submit_file::job_file_options named(submit_file::job_file_options options,
                                    const std::string& file) {
  auto stem = std::filesystem::path{file}.stem().string();
  if (codec::check_job_name(stem)) options.usual_name = std::move(stem);
  return options;
}

void understand(read_one& file, const submit_file::job_file_options& options) {
  if (file.text)
    file.content = submit_file::read_jobs(*file.text, file.shown, named(options, file.shown));
  else
    file.content = fail(file.text.error());
}

/// Reads the files in their order, each on one of as many threads as the machine has cores: a
/// million jobs take seconds of each.
std::vector<read_one> read_all(session& s, const std::vector<std::string>& names,
                               const submit_file::job_file_options& options) {
  std::vector<read_one> out(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    out[i].shown = names[i] == stdin_name ? "stdin" : names[i];
    if (names[i] == stdin_name) out[i].text = read_input(s.in, names[i], file_size_max);
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (auto i = next++; i < names.size(); i = next++) {
      if (names[i] != stdin_name) out[i].text = read_file(names[i], file_size_max);
      understand(out[i], options);
    }
  };
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> beside;
  for (std::size_t i = 1; i < std::min(cores, names.size()); ++i) beside.emplace_back(work);
  work();
  beside.clear();
  return out;
}

std::size_t jobs_of(std::span<const request_origin> origins) {
  std::size_t jobs = 0;
  for (const auto& origin : origins) jobs += origin.jobs.size();
  return jobs;
}

/// How a server's message names one job of a request.
struct named_item {
  std::string_view before;  ///< What stands before the name.
  std::size_t index = 0;
  std::string_view rest;  ///< What stands behind it, the field of the job first.
};

/// The codec names the item of the request, the queue that took it the number of the job.
std::optional<named_item> find_item(std::string_view message, const std::string& queue) {
  const auto by_queue = fmt::format("queue '{}', job ", queue);
  for (const std::string_view marker :
       {std::string_view{"job_request_items["}, std::string_view{by_queue}}) {
    const auto at = message.find(marker);
    if (at == std::string_view::npos) continue;
    named_item out{message.substr(0, at), 0, message.substr(at + marker.size())};
    const auto* const begin = out.rest.data();
    const auto [end, failed] = std::from_chars(begin, begin + out.rest.size(), out.index);
    if (failed != std::errc{}) continue;
    out.rest.remove_prefix(static_cast<std::size_t>(end - begin));
    if (out.rest.starts_with(']')) out.rest.remove_prefix(1);
    return out;
  }
  return std::nullopt;
}

}  // namespace

bool read_job_files(session& s, const std::vector<std::string>& names,
                    const submit_file::job_file_options& options, std::vector<named_file>& files) {
  bool good = true;
  for (auto& [shown, text, content] : read_all(s, names, options)) {
    good = good && content;
    if (!content) {
      std::istringstream mistakes{content.error().detail};
      for (std::string line; std::getline(mistakes, line);) s.out.error_line(line);
      continue;
    }
    for (const auto& remark : content->remarks) s.out.notice("warning: " + remark);
    files.push_back({std::move(shown), std::move(*content), std::move(*text)});
  }
  return good;
}

result<divided_files> divide_files(const std::vector<named_file>& files, std::size_t bytes_max,
                                   std::string_view key) {
  divided_files out;
  for (const auto& file : files) {
    // Names of other jobs are known within a request.
    auto parts =
        submit_file::divide(file.content, bytes_max,
                            file.content.has_waits ? waiting_jobs_per_request : jobs_per_request);
    if (!parts) return fail(std::move(parts.error()));
    for (auto& part : *parts) {
      out.jobs += part.jobs.size();
      out.requests.push_back({std::move(part.bytes), part.jobs.size()});
      out.origins.push_back({&file, std::move(part.jobs)});
    }
  }
  give_keys(out.requests, key);
  return out;
}

result<void> check_key(const std::string& key) {
  return model::validate_printable(key, "--idempotency-key", submission_key_bytes_max);
}

std::string placed(const error& why, const request_origin& origin) {
  const auto& message = why.detail;
  const auto named = find_item(message, origin.file->content.queue);
  if (!named || named->index >= origin.jobs.size()) {
    const bool of_content = why.code == ec::invalid_argument || why.code == ec::too_large;
    return of_content ? origin.file->name + ": " + message : message;
  }
  const auto& job = origin.file->content.jobs[origin.jobs[named->index]];
  std::size_t path_size = 0;
  auto place = submit_file::locate(origin.file->text, job.number, named->rest, path_size);
  if (!place)
    place = {job.line, job.column,
             fmt::format("jobs[{}]{}", job.number, named->rest.substr(0, path_size))};
  return fmt::format("{}:{}:{}: {}{}{}", origin.file->name, place->line, place->column,
                     named->before, place->field, named->rest.substr(path_size));
}

std::string how_far(std::size_t accepted, const submission_error& failed,
                    std::span<const request_origin> origins) {
  auto text = fmt::format("{} of {} jobs were accepted", accepted, jobs_of(origins));
  if (failed.unanswered > 0)
    text += fmt::format("; whether {} more were is unknown",
                        jobs_of(origins.subspan(failed.first_unanswered, failed.unanswered)));
  return text;
}

}  // namespace argosy::ctl
