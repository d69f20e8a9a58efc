// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A request as it goes to a transport: method, absolute address, header fields and body.
///
/// The address is an ``HTTPURL``, parsed once; every adapter hands exactly its text on, so no second
/// parser can read another host out of it.
public struct TransportRequest: Sendable, Hashable {
    // In a box, as a request is handed from stage to stage many times and seldom changed.
    private struct Parts: Sendable, Hashable {
        var method: HTTPRequest.Method
        var url: HTTPURL
        var headerFields: HTTPFields
        var body: MessageBody
        var limits: TransportLimits?
        var principal: Principal?
        var cachePolicy = CachePolicy.standard
        var progress: ProgressObserver?
        var deadline: ContinuousClock.Instant?
    }

    private var parts: Boxed<Parts>

    /// The request method.
    public var method: HTTPRequest.Method {
        get { parts.value.method }
        set { parts.value.method = newValue }
    }

    /// The absolute address.
    public var url: HTTPURL {
        _read { yield parts.value.url }
        _modify { yield &parts.value.url }
    }

    /// The header fields, without the framing fields, which are the transport's.
    public var headerFields: HTTPFields {
        _read { yield parts.value.headerFields }
        _modify { yield &parts.value.headerFields }
    }

    /// What follows the header.
    public var body: MessageBody {
        _read { yield parts.value.body }
        _modify { yield &parts.value.body }
    }

    /// The limits of this exchange; `nil` takes the client's.
    public var limits: TransportLimits? {
        _read { yield parts.value.limits }
        _modify { yield &parts.value.limits }
    }

    /// Whose request it is; `nil` takes the client's.
    public var principal: Principal? {
        get { parts.value.principal }
        set { parts.value.principal = newValue }
    }

    /// How the request uses the client's cache.
    public var cachePolicy: CachePolicy {
        get { parts.value.cachePolicy }
        set { parts.value.cachePolicy = newValue }
    }

    /// Who hears how far the request has come; nobody by default.
    public var progress: ProgressObserver? {
        get { parts.value.progress }
        set { parts.value.progress = newValue }
    }

    /// When the whole request, with all its redirects and repetitions, must be over.
    ///
    /// Set by ``HTTPClient`` from ``TransportLimits/totalTimeout`` when the request is sent.
    public internal(set) var deadline: ContinuousClock.Instant? {
        get { parts.value.deadline }
        set { parts.value.deadline = newValue }
    }

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - url: The absolute address.
    ///   - headerFields: The header fields; framing fields are refused when the request is sent.
    ///   - body: What follows the header.
    ///   - limits: The limits of this exchange; `nil` takes the client's.
    public init(
        method: HTTPRequest.Method = .get, url: HTTPURL, headerFields: HTTPFields = [:],
        body: MessageBody = .empty, limits: TransportLimits? = nil
    ) {
        parts = Boxed(
            Parts(
                method: method, url: url, headerFields: headerFields, body: body, limits: limits))
    }

    /// Makes a request from a head with scheme, authority and path.
    ///
    /// - Parameters:
    ///   - head: A head whose scheme, authority and path form an absolute http or https address.
    ///   - body: What follows the header.
    ///   - limits: The limits of this exchange; `nil` takes the client's.
    /// - Throws: ``TransportError`` with code `invalidRequest` when they do not.
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

    /// The request's head in the currency type.
    public var head: HTTPRequest {
        HTTPRequest(
            method: method, scheme: url.scheme.rawValue, authority: url.authority,
            path: url.requestTarget, headerFields: headerFields)
    }

    /// Sets a header field from text that may come from outside.
    ///
    /// Assigning to ``headerFields`` replaces forbidden bytes by blanks without a word; this does
    /// not.
    ///
    /// - Parameters:
    ///   - value: The value, or `nil` to remove the field.
    ///   - name: The field's name.
    /// - Throws: ``TransportError`` with code `invalidRequest` when the name is not a token or the
    ///   value holds a control character.
    public mutating func setHeader(_ value: String?, for name: String) throws(TransportError) {
        try headerFields.set(value, for: name)
    }
}

extension TransportRequest {
    /// Whether two requests ask for the same in the same way.
    public static func == (left: TransportRequest, right: TransportRequest) -> Bool {
        left.parts.isIdentical(to: right.parts) || left.parts.value == right.parts.value
    }

    /// Hashes all that makes requests equal.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(parts.value)
    }
}

extension HTTPRequest.Method {
    /// Makes a method from text that may come from outside.
    ///
    /// - Parameter text: The method's name.
    /// - Throws: ``TransportError`` with code `invalidRequest` when it is not a token, as with
    ///   blanks, line ends or other control characters.
    public init(checking text: String) throws(TransportError) {
        guard let method = HTTPRequest.Method(text) else {
            throw TransportError(
                .invalidRequest, stage: .preparing, reason: "the method is not a token")
        }
        self = method
    }
}

extension HTTPFields {
    /// Sets a field from text that may come from outside.
    ///
    /// - Parameters:
    ///   - value: The value, or `nil` to remove the field.
    ///   - name: The field's name.
    /// - Throws: ``TransportError`` with code `invalidRequest` when the name is not a token or the
    ///   value holds a control character or begins or ends with a blank.
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
