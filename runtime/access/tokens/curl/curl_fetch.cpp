// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/tokens/curl/curl_fetch.hpp"

#include <curl/curl.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/access/certificate.hpp"

namespace argosy::access {

namespace {

struct cleanup {
  void operator()(CURL* what) const { curl_easy_cleanup(what); }
  void operator()(curl_slist* what) const { curl_slist_free_all(what); }
};
using handle = std::unique_ptr<CURL, cleanup>;
using header_list = std::unique_ptr<curl_slist, cleanup>;

struct sink {
  std::string text{};
  std::size_t most = 0;
};

/// Takes a piece of the answer; less than its size ends the request.
std::size_t take(const char* data, std::size_t size, std::size_t count, void* into) {
  auto& to = *static_cast<sink*>(into);
  const auto bytes = size * count;
  if (to.text.size() + bytes > to.most) return 0;
  to.text.append(data, bytes);
  return bytes;
}

bool add(header_list& list, const std::string& line) {
  auto* const longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) return false;
  static_cast<void>(list.release());
  list.reset(longer);
  return true;
}

void set_options(CURL* curl, const http_request& asked, sink& answer) {
  curl_easy_setopt(curl, CURLOPT_URL, asked.url.c_str());
  const bool local = is_loopback_url(asked.url);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, local ? "http,https" : "https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  if (local) curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  // Signals are the program's own.
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(asked.within.count()));
  curl_easy_setopt(curl, CURLOPT_MAXFILESIZE, static_cast<long>(asked.answer_bytes_max));
  curl_easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  // libcurl looks where its distribution has certificates; OpenSSL reads this variable by itself.
  const char* const usual = std::getenv("SSL_CERT_FILE");
  if (!asked.authorities.empty())
    curl_easy_setopt(curl, CURLOPT_CAINFO, asked.authorities.c_str());
  else if (usual != nullptr && *usual != '\0')
    curl_easy_setopt(curl, CURLOPT_CAINFO, usual);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
  if (asked.body.empty()) return;
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(asked.body.size()));
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, asked.body.c_str());
}

}  // namespace

result<http_answer> curl_fetch(const http_request& asked) {
  if (!is_safe_url(asked.url))
    return fail(ec::invalid_argument,
                "'" + asked.url + "' is not asked: it is neither https nor on loopback");
  if (auto fit = check_regular_file(asked.authorities); !fit) return fail(std::move(fit.error()));
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  const handle curl{curl_easy_init()};
  sink answer{.text = {}, .most = asked.answer_bytes_max};
  header_list headers;
  bool ready = curl != nullptr && add(headers, "Accept: application/json");
  if (!asked.body.empty()) ready = ready && add(headers, "Content-Type: " + asked.content_type);
  if (!asked.authorization.empty())
    ready = ready && add(headers, "Authorization: " + asked.authorization);
  if (!ready) return fail(ec::unreachable, "libcurl has no memory");
  set_options(curl.get(), asked, answer);
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  std::string why(CURL_ERROR_SIZE, '\0');
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, why.data());
  const auto code = curl_easy_perform(curl.get());
  if (code != CURLE_OK) {
    why.resize(why.find('\0'));
    return fail(ec::unreachable, "'" + asked.url + "' cannot be asked: " +
                                     (code == CURLE_WRITE_ERROR ? "its answer is too long"
                                      : why.empty()             ? curl_easy_strerror(code)
                                                                : why));
  }
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  return http_answer{static_cast<int>(status), std::move(answer.text)};
}

}  // namespace argosy::access
