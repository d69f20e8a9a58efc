// SPDX-License-Identifier: Apache-2.0

import CCurl
import HTTPTypes
import RestTransport

// Invariant: called on the driver thread while libcurl does not use the handle. libcurl copies strings
// and keeps two addresses: that of the transfer, which outlives the handle, and that of the field
// list, which is set again before the handle is reused and freed after the handle.

extension CurlTransfer {
    /// The sizes of the receive buffer of libcurl.
    static let smallReadByteCount = 16 << 10
    static let largeReadByteCount = 256 << 10

    /// The number of bytes of a request's header up to which it is sent over HTTP/2.
    ///
    /// nghttp2 sends no header of more than 64 KiB, counted with an addition for each field.
    private static let headerByteCountForHTTP2 = 32 << 10

    /// Sets the options that do not change during the life of the handle.
    ///
    /// - Returns: A Boolean value that indicates whether libcurl supports all of them.
    func setConstantOptions(_ configuration: CurlTransport.Configuration) -> Bool {
        let address = unsafe Unmanaged.passUnretained(self).toOpaque()
        for option in [
            CURLOPT_PRIVATE, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA,
            CURLOPT_SEEKDATA, CURLOPT_PREREQDATA, CURLOPT_SOCKOPTDATA, CURLOPT_RESOLVER_START_DATA,
            CURLOPT_SSL_CTX_DATA, CURLOPT_XFERINFODATA, CURLOPT_DEBUGDATA,
        ] {
            unsafe ccurl_easy_set_pointer(easy, option, address)
        }
        unsafe ccurl_easy_set_write(easy, CURLOPT_HEADERFUNCTION, receiveHeaderLine)
        unsafe ccurl_easy_set_write(easy, CURLOPT_WRITEFUNCTION, receiveBody)
        unsafe ccurl_easy_set_read(easy, sendBody)
        unsafe ccurl_easy_set_prereq(easy, didBecomeReady)
        unsafe ccurl_easy_set_sockopt(easy, didOpenSocket)
        unsafe ccurl_easy_set_resolver_start(easy, willStartResolver)
        unsafe ccurl_easy_set_tls_context(easy, didCreateTLSContext)
        unsafe ccurl_easy_set_progress(easy, didProgress)
        unsafe ccurl_easy_set_debug(easy, didReport)

        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1),
            (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_PATH_AS_IS, 1),
            (CURLOPT_HTTP09_ALLOWED, 0),
            // The loop enforces timeouts; those of libcurl are disabled or out of reach.
            (CURLOPT_TIMEOUT_MS, 0),
            (CURLOPT_CONNECTTIMEOUT_MS, 86_400_000),
            // A cancelled exchange does not wait for the resolver thread.
            (CURLOPT_QUICK_EXIT, 1),
            (CURLOPT_TCP_NODELAY, 1),
            // Bodies are decoded here: libcurl accepts truncated compressed data and chunks
            // that are shorter than their size.
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
            // No proxy. With an exclusion list libcurl does not read the environment.
            (CURLOPT_PROXY, ""),
            (CURLOPT_NOPROXY, "*"),
        ]
        for (option, value) in texts {
            unsafe ccurl_easy_set_text(easy, option, value)
        }
        return set(configuration.tls)
    }

    /// Sets the options of a request.
    func setOptions(for request: TransportRequest, fields: inout CurlFieldList) {
        let url = request.url.requestText
        unsafe ccurl_easy_set_text(easy, CURLOPT_URL, url)
        // libcurl 8.16 leaves out the question mark of an empty query.
        let endsWithQuery = url.utf8.last == UInt8(ascii: "?")
        unsafe ccurl_easy_set_text(
            easy, CURLOPT_REQUEST_TARGET, endsWithQuery ? request.url.requestTarget : nil)
        if !pins.isEmpty {
            unsafe ccurl_easy_set_text(easy, CURLOPT_PINNEDPUBLICKEY, pins[request.url.host])
        }
        // Only TLS connections are multiplexed. For others libcurl would wait in vain for an
        // existing connection.
        let isSecure = request.url.scheme == .https
        let usesHTTP2 = isSecure && Self.usesHTTP2(for: request)
        let version = usesHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
        unsafe ccurl_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(version))
        unsafe ccurl_easy_set_long(easy, CURLOPT_PIPEWAIT, usesHTTP2 ? 1 : 0)
        unsafe ccurl_easy_set_long(easy, CURLOPT_NOPROGRESS, isSecure ? 0 : 1)
        let hasBody = !request.body.isEmpty || Self.expectsBody(request.method)
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
            // Without a length libcurl uses the chunked transfer coding.
            let count = curl_off_t(request.body.byteCount ?? -1)
            unsafe ccurl_easy_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, count)
        }
        // Without this function libcurl does not repeat a request after it has sent a part of the body.
        unsafe ccurl_easy_set_seek(easy, request.mayRepeat ? rewindBody : nil)
        if fields.update(request.headerFields, hasBody: hasBody) {
            unsafe ccurl_easy_set_list(easy, CURLOPT_HTTPHEADER, fields.list)
        }
    }

    private static func usesHTTP2(for request: TransportRequest) -> Bool {
        guard CurlLibrary.current.usesHTTP2 else { return false }
        var byteCount = request.url.requestText.utf8.count
        for field in request.headerFields {
            byteCount += field.name.rawName.utf8.count + field.valueBytes.count + 16
        }
        return byteCount <= headerByteCountForHTTP2
    }

    // These methods expect a body, so an empty one is sent with its length (RFC 9110 §8.6).
    private static func expectsBody(_ method: HTTPRequest.Method) -> Bool {
        method == .post || method == .put || method == .patch
    }
}

extension TransportRequest {
    /// A Boolean value that indicates whether the transport may send the request a second time, after a
    /// connection has ended without a byte of the response.
    ///
    /// - Source: RFC 9110 §9.2.2.
    var mayRepeat: Bool { method != .post && method != .patch && body.isReplayable }
}

/// A list of header fields in the form of libcurl, reused while requests have the same fields.
///
/// Invariant: `list` was created by `curl_slist_append`, or is `nil`, and belongs to this value alone.
@safe struct CurlFieldList {
    private(set) var list: UnsafeMutablePointer<curl_slist>?
    private var fields = HTTPFields()
    private var hasBody = false

    /// Updates the list.
    ///
    /// - Returns: A Boolean value that indicates whether the list has been replaced.
    mutating func update(_ fields: HTTPFields, hasBody: Bool) -> Bool {
        if hasBody == self.hasBody, fields.hasSameOrder(as: self.fields) { return false }
        let old = unsafe list
        defer { unsafe curl_slist_free_all(old) }
        unsafe list = nil
        self.fields = fields
        self.hasBody = hasBody
        for field in fields {
            let value = field.valueBytes
            let separator = value.isEmpty ? ";" : ": "
            append(Array("\(field.name.rawName)\(separator)".utf8) + value)
        }
        if hasBody {
            // A name without a value removes a field that libcurl would add.
            append(Array("Expect:".utf8))
            if !fields.contains(.contentType) { append(Array("Content-Type:".utf8)) }
        }
        return true
    }

    private mutating func append(_ line: [UInt8]) {
        let text = line.map { CChar(bitPattern: $0) } + [0]
        if let longer = unsafe curl_slist_append(list, text) {
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

// MARK: Callbacks of libcurl, on the driver thread

// Invariant: `address` is that of the living transfer that owns the handle; `bytes` has
// `size * count` bytes during the call.

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
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return unsafe CurlTransfer.from(address).send(into: buffer)
}

private func rewindBody(
    _ address: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32
) -> Int32 {
    let isDone = unsafe CurlTransfer.from(address).rewind(to: Int(offset))
    return isDone && origin == 0 ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
}

private func didBecomeReady(
    _ address: UnsafeMutableRawPointer?, _ remoteHost: UnsafeMutablePointer<CChar>?,
    _ localHost: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    let endpoints = CurlConnections.Endpoints(
        localPort: localPort, remotePort: remotePort,
        remoteHost: unsafe remoteHost.map { unsafe String(cString: $0) } ?? "")
    let mayUse = unsafe CurlTransfer.from(address).connectionDidBecomeReady(endpoints)
    return mayUse ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

private func didOpenSocket(
    _ address: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ purpose: curlsocktype
) -> Int32 {
    unsafe CurlTransfer.from(address).socketDidOpen(socket)
    return CURL_SOCKOPT_OK
}

private func willStartResolver(
    _ state: UnsafeMutableRawPointer?, _ reserved: UnsafeMutableRawPointer?,
    _ address: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe CurlTransfer.from(address).connectionWillStart()
    return 0
}

private func didCreateTLSContext(
    _ easy: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?,
    _ address: UnsafeMutableRawPointer?
) -> CURLcode {
    unsafe CurlTransfer.from(address).configure(tlsContext: context)
    return CURLE_OK
}

private func didReport(
    _ easy: UnsafeMutableRawPointer?, _ kind: curl_infotype, _ text: UnsafeMutablePointer<CChar>?,
    _ count: Int, _ address: UnsafeMutableRawPointer?
) -> Int32 {
    if kind == CURLINFO_TEXT {
        let bytes = unsafe UnsafeRawBufferPointer(start: text, count: count)
        unsafe CurlTransfer.from(address).noteReport(bytes)
    }
    return 0
}

private func didProgress(
    _ address: UnsafeMutableRawPointer?, _ total: curl_off_t, _ received: curl_off_t,
    _ uploadTotal: curl_off_t, _ sent: curl_off_t
) -> Int32 {
    unsafe CurlTransfer.from(address).noteProgress()
    return 0
}
