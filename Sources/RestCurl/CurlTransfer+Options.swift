// SPDX-License-Identifier: Apache-2.0

import CCurl
import HTTPTypes
import RestTransport

// Invariant: on the driver thread, while libcurl does nothing with the handle. libcurl copies texts
// and keeps two addresses: that of the transfer, which outlives the handle, and that of the list of
// fields, which is set anew before the handle is used again and freed after the handle.

extension CurlTransfer {
    /// The sizes of libcurl's receive buffer.
    static let smallReadByteCount = 16 << 10
    static let largeReadByteCount = 256 << 10

    /// Sets what stays the same for the life of the handle.
    ///
    /// - Returns: Whether libcurl can do all of it.
    func setConstantOptions(_ configuration: CurlTransport.Configuration) -> Bool {
        let address = unsafe Unmanaged.passUnretained(self).toOpaque()
        for option in [
            CURLOPT_PRIVATE, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA,
            CURLOPT_SEEKDATA, CURLOPT_PREREQDATA, CURLOPT_SOCKOPTDATA, CURLOPT_RESOLVER_START_DATA,
        ] {
            unsafe ccurl_easy_set_pointer(easy, option, address)
        }
        unsafe ccurl_easy_set_write(easy, CURLOPT_HEADERFUNCTION, receiveHeaderLine)
        unsafe ccurl_easy_set_write(easy, CURLOPT_WRITEFUNCTION, receiveBody)
        unsafe ccurl_easy_set_read(easy, sendBody)
        unsafe ccurl_easy_set_prereq(easy, connectionBecameReady)
        unsafe ccurl_easy_set_sockopt(easy, socketIsOpen)
        unsafe ccurl_easy_set_resolver_start(easy, resolverIsStarting)

        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1),
            (CURLOPT_NOPROGRESS, 1),
            (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_PATH_AS_IS, 1),
            (CURLOPT_HTTP09_ALLOWED, 0),
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS)),
            (CURLOPT_BUFFERSIZE, Self.smallReadByteCount),
            // The time limits are the loop's; these are switched off or out of reach.
            (CURLOPT_TIMEOUT_MS, 0),
            (CURLOPT_CONNECTTIMEOUT_MS, 86_400_000),
            // A cancelled exchange does not wait for the resolver's thread.
            (CURLOPT_QUICK_EXIT, 1),
            (CURLOPT_TCP_NODELAY, 1),
            // Bodies are brought as they come. libcurl takes compressed bytes that are cut, and
            // chunks shorter than their size, for whole ones.
            (CURLOPT_HTTP_CONTENT_DECODING, 0),
            (CURLOPT_HTTP_TRANSFER_DECODING, 0),
        ]
        for (option, value) in numbers {
            unsafe ccurl_easy_set_long(easy, option, value)
        }
        let texts: [(CURLoption, String)] = [
            (CURLOPT_PROTOCOLS_STR, "http,https"),
            (CURLOPT_REDIR_PROTOCOLS_STR, ""),
            (CURLOPT_ACCEPT_ENCODING, "gzip, deflate"),
            // No proxy, whatever the environment says; with a list it is not even asked.
            (CURLOPT_PROXY, ""),
            (CURLOPT_NOPROXY, "*"),
        ]
        for (option, value) in texts {
            unsafe ccurl_easy_set_text(easy, option, value)
        }
        return set(configuration.tls)
    }

    /// Sets what differs between requests.
    func setOptions(for request: TransportRequest, fields: inout CurlFieldList) {
        unsafe ccurl_easy_set_text(easy, CURLOPT_URL, request.url.requestText)
        if !pins.isEmpty {
            unsafe ccurl_easy_set_text(easy, CURLOPT_PINNEDPUBLICKEY, pins[request.url.host])
        }
        // Without TLS nothing is multiplexed, which libcurl would wait for an answer to find out.
        unsafe ccurl_easy_set_long(easy, CURLOPT_PIPEWAIT, request.url.scheme == .https ? 1 : 0)
        let hasBody = !request.body.isEmpty || Self.impliesBody(request.method)
        switch (request.method, hasBody) {
        case (.get, false):
            unsafe ccurl_easy_set_long(easy, CURLOPT_HTTPGET, 1)
            unsafe ccurl_easy_set_text(easy, CURLOPT_CUSTOMREQUEST, nil)
        case (.head, _):
            unsafe ccurl_easy_set_long(easy, CURLOPT_NOBODY, 1)
            unsafe ccurl_easy_set_text(easy, CURLOPT_CUSTOMREQUEST, nil)
        case (let method, let hasBody):
            unsafe ccurl_easy_set_long(easy, hasBody ? CURLOPT_POST : CURLOPT_HTTPGET, 1)
            unsafe ccurl_easy_set_text(easy, CURLOPT_CUSTOMREQUEST, method.rawValue)
            // Without a length libcurl sends in chunks.
            let count = curl_off_t(request.body.byteCount ?? -1)
            unsafe ccurl_easy_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, count)
        }
        // libcurl repeats a request when a kept connection turns out to be closed. Without a way to
        // rewind the body it does not, and on a new connection there is no reason to.
        let isUnsafe = request.method == .post || request.method == .patch
        let mayRepeat = !isUnsafe && request.body.isReplayable
        unsafe ccurl_easy_set_seek(easy, mayRepeat ? rewindBody : nil)
        let isNew = !mayRepeat && request.body.byteCount == 0
        unsafe ccurl_easy_set_long(easy, CURLOPT_FRESH_CONNECT, isNew ? 1 : 0)
        if fields.update(request.headerFields, hasBody: hasBody) {
            unsafe ccurl_easy_set_list(easy, CURLOPT_HTTPHEADER, fields.list)
        }
    }

    // A body is part of what these methods mean, so they say when it has no bytes.
    private static func impliesBody(_ method: HTTPRequest.Method) -> Bool {
        method == .post || method == .put || method == .patch
    }
}

/// Header fields in the form libcurl takes, kept while requests have the same ones.
///
/// Invariant: `list` is one that `curl_slist_append` made, or `nil`, and belongs to this value
/// alone.
@safe struct CurlFieldList {
    private(set) var list: UnsafeMutablePointer<curl_slist>?
    private var fields = HTTPFields()
    private var hasBody = false

    /// Brings the list up to date.
    ///
    /// - Returns: Whether it is another list than before.
    mutating func update(_ fields: HTTPFields, hasBody: Bool) -> Bool {
        if hasBody == self.hasBody, fields.hasSameOrder(as: self.fields) { return false }
        let old = unsafe list
        defer { unsafe curl_slist_free_all(old) }
        unsafe list = nil
        self.fields = fields
        self.hasBody = hasBody
        for field in fields {
            let value = field.value
            let separator = value.isEmpty ? ";" : ": "
            append("\(field.name.rawName)\(separator)\(value)")
        }
        if hasBody {
            // A name without value takes away what libcurl would add.
            append("Expect:")
            if !fields.contains(.contentType) { append("Content-Type:") }
        }
        return true
    }

    private mutating func append(_ line: String) {
        if let longer = unsafe curl_slist_append(list, line) {
            unsafe list = longer
        }
    }

    mutating func free() {
        unsafe curl_slist_free_all(list)
        unsafe list = nil
        fields = HTTPFields()
    }
}

extension HTTPFields {
    fileprivate func hasSameOrder(as other: HTTPFields) -> Bool {
        count == other.count && elementsEqual(other)
    }
}

// MARK: What libcurl calls, on the driver thread

// Invariant: `address` is the one of the transfer that owns the handle, and is alive; `bytes` has
// room for `size * count` bytes during the call.

private func receiveHeaderLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ address: UnsafeMutableRawPointer?
) -> Int {
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe CurlTransfer.from(address).receive(headerLine: line) ? line.count : 0
}

private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ address: UnsafeMutableRawPointer?
) -> Int {
    let chunk = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe CurlTransfer.from(address).receive(body: chunk)
}

private func sendBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ address: UnsafeMutableRawPointer?
) -> Int {
    let space = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return unsafe CurlTransfer.from(address).send(into: space)
}

private func rewindBody(
    _ address: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32
) -> Int32 {
    let isDone = unsafe CurlTransfer.from(address).rewind(to: Int(offset))
    return isDone && origin == 0 ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
}

private func connectionBecameReady(
    _ address: UnsafeMutableRawPointer?, _ remoteHost: UnsafeMutablePointer<CChar>?,
    _ localHost: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    unsafe CurlTransfer.from(address).connectionIsReady()
    return CURL_PREREQFUNC_OK
}

private func socketIsOpen(
    _ address: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ purpose: curlsocktype
) -> Int32 {
    unsafe CurlTransfer.from(address).connectionIsBeginning()
    return CURL_SOCKOPT_OK
}

private func resolverIsStarting(
    _ state: UnsafeMutableRawPointer?, _ reserved: UnsafeMutableRawPointer?,
    _ address: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe CurlTransfer.from(address).connectionIsBeginning()
    return 0
}
