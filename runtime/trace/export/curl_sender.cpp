// SPDX-License-Identifier: Apache-2.0
#include <curl/curl.h>

#include <memory>
#include <mutex>

#include "runtime/trace/export/exporter.hpp"

namespace argosy::trace::otlp {

namespace {

struct cleanup {
  void operator()(CURL* what) const { curl_easy_cleanup(what); }
  void operator()(curl_slist* what) const { curl_slist_free_all(what); }
};
using handle = std::unique_ptr<CURL, cleanup>;
using header_list = std::unique_ptr<curl_slist, cleanup>;

/// Nobody reads the answer's body.
std::size_t forget(const char*, std::size_t size, std::size_t count, void*) {
  return size * count;
}

void add(header_list& list, const std::string& line) {
  if (auto* const longer = curl_slist_append(list.get(), line.c_str())) {
    static_cast<void>(list.release());
    list.reset(longer);
  }
}

result<int> send(CURL* curl, const export_settings& settings, const std::string& body) {
  header_list headers;
  add(headers, "Content-Type: " + std::string{content_type});
  // The library would ask the collector whether it takes a large body, and wait for a second.
  add(headers, "Expect:");
  for (const auto& [key, value] : settings.headers) add(headers, key + ": " + value);
  curl_easy_setopt(curl, CURLOPT_URL, settings.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  // Signals are the program's own.
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(settings.timeout.count()));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &forget);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  const auto code = curl_easy_perform(curl);
  if (code != CURLE_OK) return fail(ec::unreachable, curl_easy_strerror(code));
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

}  // namespace

exporter::sender curl_sender(const export_settings& settings) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  // One handle keeps its connection from one request to the next.
  std::shared_ptr<CURL> curl{curl_easy_init(), cleanup{}};
  return [curl, settings](const std::string& body) -> result<int> {
    if (!curl) return fail(ec::unreachable, "libcurl has no memory");
    return send(curl.get(), settings, body);
  };
}

}  // namespace argosy::trace::otlp
