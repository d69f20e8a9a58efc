// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import Logging
public import RestDocument
public import RestMapping
public import RestTransport
import Synchronization

/// A client for the objects of a REST API.
///
/// ```swift
/// let api = ObjectManager(client: client)
/// let article: Article = try await api.get("articles/42")
///
/// try api.add(ResponseDescriptor(Article.self, at: "articles", keyPath: "articles"))
/// let result = try await api.getObjects(at: "articles", parameters: ["author": "Ann"])
/// ```
///
/// An object manager sends requests through an HTTP client, selects the response descriptors that
/// match each response, and maps the response into objects by the descriptors' mappings.
///
/// The configuration is a single value, which ``configure(_:)`` changes. A request in progress keeps the
/// configuration that it started with.
///
/// - Isolation: Functions run in the caller's isolation. Receiving, parsing and mapping run outside
///   of it, and new objects are returned as `sending` values.
public final class ObjectManager: Sendable {
    private let state: Mutex<State>

    private static let sharedManager = Mutex<ObjectManager?>(nil)

    /// The shared manager of the process: the first one that was created, unless another was set.
    public static var shared: ObjectManager? {
        get { sharedManager.withLock { $0 } }
        set { sharedManager.withLock { $0 = newValue } }
    }

    /// Creates a manager without descriptors.
    ///
    /// The first manager of a process becomes the ``shared`` one.
    ///
    /// - Parameter client: The HTTP client. Its default headers and its `parameterMediaType` apply
    ///   to all requests. If no format is registered for the media type, requests send forms.
    public init(client: HTTPClient) {
        state = Mutex(State(configuration: ObjectManagerConfiguration(client: client)))
        becomeShared()
    }

    /// Creates a manager without descriptors that sends bodies in a format.
    ///
    /// - Parameters:
    ///   - client: The HTTP client.
    ///   - requestFormat: The media type of request bodies: `.json` or `.formURLEncoded`. For
    ///     other formats, register them in ``configure(_:)``, then use ``setRequestFormat(_:)``.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` if no
    ///   format is registered for the type.
    public init(client: HTTPClient, requestFormat: MediaType) throws(NetworkingError) {
        state = Mutex(State(configuration: ObjectManagerConfiguration(client: client)))
        try setRequestFormat(requestFormat)
        becomeShared()
    }

    /// Creates a manager that does not become the shared one.
    init(unshared configuration: ObjectManagerConfiguration) {
        state = Mutex(State(configuration: configuration))
    }

    private func becomeShared() {
        Self.sharedManager.withLock { if $0 == nil { $0 = self } }
        let configuration = snapshot.value
        if configuration.isClientFormatUnregistered {
            configuration.logger.warning(
                "no format is registered for the client's parameterMediaType; bodies are forms")
        }
    }

    /// The HTTP client that sends the requests.
    public var client: HTTPClient { snapshot.value.client }

    /// The base URL of the client, against which paths are resolved.
    public var baseURL: HTTPURL { client.baseURL }

    /// The limits for parsing a response body.
    public var parseLimits: ParseLimits { snapshot.value.parseLimits }

    /// The formats that read and write bodies, by media type.
    public var formats: FormatRegistry { snapshot.value.formats }

    /// The format of the dates that requests contain; see
    /// ``ObjectManagerConfiguration/dateFormat``.
    public var dateFormat: DateFormat { snapshot.value.dateFormat }

    /// The encoder of objects of `Encodable` types; see ``ObjectManagerConfiguration/encoder``.
    public var encoder: DocumentEncoder { snapshot.value.encoder }

    /// The decoder of values of `Decodable` types; see ``ObjectManagerConfiguration/decoder``.
    public var decoder: DocumentDecoder { snapshot.value.decoder }

    /// The default header fields of requests: those of the client, and `Accept`.
    public var defaultHeaders: HTTPFields { snapshot.value.defaultHeaders }

    /// Sets the `Accept` header of requests, replacing the media types of ``formats``.
    ///
    /// - Parameter types: Media types or ranges in order of preference. Pass none to restore the
    ///   media types of ``formats``.
    public func setAccept(_ types: MediaType...) { configure { $0.setAccept(types) } }

    /// The media type of parameters in request bodies; see
    /// ``ObjectManagerConfiguration/requestFormat``.
    public var requestFormat: MediaType { snapshot.value.requestFormat }

    /// Sets the media type of parameters in request bodies.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` if no
    ///   format is registered for the type in ``formats``.
    public func setRequestFormat(_ type: MediaType) throws(NetworkingError) {
        try configure { (configuration) throws(NetworkingError) in
            try configuration.setRequestFormat(type)
        }
    }

    /// The style of the parameters of requests; see ``ObjectManagerConfiguration/parameterStyle``.
    public var parameterStyle: ParameterStyle { snapshot.value.parameterStyle }

    /// The mapping of response bodies onto the state of paginators; see
    /// ``ObjectManagerConfiguration/paginationMapping``.
    public var paginationMapping: ObjectMapping? { snapshot.value.paginationMapping }

    /// The current configuration with the box that requests share, which is made once for each change.
    private struct State {
        var configuration: ObjectManagerConfiguration
        var snapshot: ConfigurationSnapshot?
    }

    /// The current configuration.
    package var snapshot: ConfigurationSnapshot {
        state.withLock { state in
            if let snapshot = state.snapshot { return snapshot }
            let snapshot = ConfigurationSnapshot(state.configuration)
            state.snapshot = snapshot
            return snapshot
        }
    }

    /// Changes the configuration as one; requests in progress keep the previous one.
    ///
    /// ```swift
    /// api.configure {
    ///     $0.dateFormat = .milliseconds
    ///     $0.client.interceptors.append(AuthorizationInterceptor(authorizer))
    ///     $0.formats.register(PropertyListFormat(), for: "application/x-plist")
    /// }
    /// ```
    ///
    /// Changes of several tasks follow one another, so that none is lost, and a request sees all
    /// changes of a call or none.
    ///
    /// - Precondition: The closure does not use the manager, which is locked meanwhile. It finds all
    ///   values in its argument.
    /// - Parameter body: Changes the configuration. If it throws, the configuration stays as it is.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    @discardableResult
    public func configure<Result: Sendable, Failure>(
        _ body: (inout ObjectManagerConfiguration) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { (state) throws(Failure) in
            var configuration = state.configuration
            let result = try body(&configuration)
            state = State(configuration: configuration)
            return result
        }
    }
}
