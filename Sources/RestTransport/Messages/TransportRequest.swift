// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A request to a transport: method, absolute URL, header fields and body.
///
/// The URL is an ``HTTPURL``, parsed once; each adapter passes on exactly its text, so that no
/// second parser can read a different host.
public struct TransportRequest: Sendable, Hashable {
    // A request passes through many stages and seldom changes, so copies share a box.
    private struct Parts: Sendable, Hashable {
        var method: HTTPRequest.Method
        var url: HTTPURL
        var headerFields: HTTPFields
        var body: MessageBody
        var limits: TransportLimits?
        var principal: Principal?
        var cachePolicy = CachePolicy.standard
        var usesCache = true
        var progress: ProgressObserver?
        var deadline: ContinuousClock.Instant?
    }

    private var parts: CopyOnWriteBox<Parts>

    /// The request method.
    public var method: HTTPRequest.Method {
        get { parts.value.method }
        set { parts.value.method = newValue }
    }

    /// The absolute URL.
    public var url: HTTPURL {
        _read { yield parts.value.url }
        _modify { yield &parts.value.url }
    }

    /// The header fields, without the framing fields, which the transport sets.
    public var headerFields: HTTPFields {
        _read { yield parts.value.headerFields }
        _modify { yield &parts.value.headerFields }
    }

    /// The body.
    public var body: MessageBody {
        _read { yield parts.value.body }
        _modify { yield &parts.value.body }
    }

    /// The limits of the exchange; `nil` uses those of the client.
    public var limits: TransportLimits? {
        _read { yield parts.value.limits }
        _modify { yield &parts.value.limits }
    }

    /// The user of the request; `nil` uses that of the client.
    public var principal: Principal? {
        get { parts.value.principal }
        set { parts.value.principal = newValue }
    }

    /// The cache policy.
    public var cachePolicy: CachePolicy {
        get { parts.value.cachePolicy }
        set { parts.value.cachePolicy = newValue }
    }

    /// A Boolean value that indicates whether the client's cache takes part in the request.
    ///
    /// It is `false` for requests whose responses another part of the package stores.
    package var usesCache: Bool {
        get { parts.value.usesCache }
        set { parts.value.usesCache = newValue }
    }

    /// The observer of progress, or `nil`, the default.
    public var progress: ProgressObserver? {
        get { parts.value.progress }
        set { parts.value.progress = newValue }
    }

    /// The deadline of the request with all its redirects and retries.
    ///
    /// ``HTTPClient`` sets it from ``TransportLimits/totalTimeout`` when it sends the request.
    public internal(set) var deadline: ContinuousClock.Instant? {
        get { parts.value.deadline }
        set { parts.value.deadline = newValue }
    }

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - url: The absolute URL.
    ///   - headerFields: The header fields; framing fields cause an error when the request is sent.
    ///   - body: The body.
    ///   - limits: The limits of the exchange; `nil` uses those of the client.
    public init(
        method: HTTPRequest.Method = .get, url: HTTPURL, headerFields: HTTPFields = [:],
        body: MessageBody = .empty, limits: TransportLimits? = nil
    ) {
        parts = CopyOnWriteBox(
            Parts(
                method: method, url: url, headerFields: headerFields, body: body, limits: limits))
    }

    /// Creates a request from a head with scheme, authority and path.
    ///
    /// - Parameters:
    ///   - head: A head whose scheme, authority and path form an absolute http or https URL.
    ///   - body: The body.
    ///   - limits: The limits of the exchange; `nil` uses those of the client.
    /// - Throws: ``TransportError`` with code `invalidRequest` if they do not.
    public init(
        head: HTTPRequest, body: MessageBody = .empty, limits: TransportLimits? = nil
    ) throws(TransportError) {
        guard let scheme = head.scheme, let authority = head.authority else {
            throw TransportError(
                .invalidRequest, stage: .preparing, reason: "the head has no scheme or authority")
        }
        self.init(
            method: head.method,
            url: try HTTPURL(parsing: "\(scheme)://\(authority)\(head.path ?? "")"),
            headerFields: head.headerFields, body: body, limits: limits)
    }

    /// The head of the request as a value of HTTPTypes.
    public var head: HTTPRequest {
        HTTPRequest(
            method: method, scheme: url.scheme.rawValue, authority: url.authority,
            path: url.requestTarget, headerFields: headerFields)
    }

    /// Sets a header field from untrusted text.
    ///
    /// Unlike this method, an assignment to ``headerFields`` silently replaces invalid bytes by
    /// spaces.
    ///
    /// - Parameters:
    ///   - value: The value, or `nil` to remove the field.
    ///   - name: The name of the field.
    /// - Throws: ``TransportError`` with code `invalidRequest` if the name is not a token or the
    ///   value contains a control character.
    public mutating func setHeader(_ value: String?, for name: String) throws(TransportError) {
        try headerFields.set(value, for: name)
    }
}

extension TransportRequest {
    /// Returns a Boolean value that indicates whether two requests have equal properties.
    public static func == (left: TransportRequest, right: TransportRequest) -> Bool {
        left.parts.isIdentical(to: right.parts) || left.parts.value == right.parts.value
    }

    /// Hashes the properties that equality compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(parts.value)
    }
}

extension HTTPRequest.Method {
    /// Creates a method from untrusted text.
    ///
    /// - Parameter text: The name of the method.
    /// - Throws: ``TransportError`` with code `invalidRequest` if the name is not a token, for
    ///   example because of spaces or control characters.
    public init(checking text: String) throws(TransportError) {
        guard let method = HTTPRequest.Method(text) else {
            throw TransportError(
                .invalidRequest, stage: .preparing, reason: "the method is not a token")
        }
        self = method
    }
}

extension HTTPFields {
    /// Sets a field from untrusted text.
    ///
    /// - Parameters:
    ///   - value: The value, or `nil` to remove the field.
    ///   - name: The name of the field.
    /// - Throws: ``TransportError`` with code `invalidRequest` if the name is not a token or the
    ///   value contains a control character or begins or ends with whitespace.
    public mutating func set(_ value: String?, for name: String) throws(TransportError) {
        guard let fieldName = HTTPField.Name(name), !name.utf8.starts(with: ":".utf8) else {
            throw TransportError(
                .invalidRequest, stage: .preparing, reason: "a header field name is not a token")
        }
        if let value, !HTTPField.isValidValue(value) {
            throw TransportError(
                .invalidRequest, stage: .preparing,
                reason: "the value of header field \(fieldName.canonicalName) is not allowed")
        }
        self[fieldName] = value
    }
}
