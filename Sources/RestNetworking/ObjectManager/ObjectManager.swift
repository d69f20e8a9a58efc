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
/// The configuration is a single value. A request in progress keeps the configuration that it
/// started with.
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
    ///   - requestFormat: The media type of request bodies: `.json` or `.formURLEncoded`. Register
    ///     other formats in ``formats`` first, then use ``setRequestFormat(_:)``.
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
    ///
    /// Replacing it does not affect requests in progress.
    public var client: HTTPClient {
        get { snapshot.value.client }
        set { change { $0.client = newValue } }
    }

    /// The base URL of the client, against which paths are resolved.
    public var baseURL: HTTPURL { client.baseURL }

    /// The limits for parsing a response body.
    public var parseLimits: ParseLimits {
        get { snapshot.value.parseLimits }
        set { change { $0.parseLimits = newValue } }
    }

    /// The formats that read and write bodies, by media type.
    ///
    /// The `Accept` header of requests lists the media types that the registry accepts.
    ///
    /// ```swift
    /// api.formats.register(PropertyListFormat(), for: "application/x-plist")
    /// ```
    public var formats: FormatRegistry {
        get { snapshot.value.formats }
        set { change { $0.formats = newValue } }
    }

    /// The format of the dates that requests contain in bodies, queries and paths, unless a mapping
    /// or an attribute declares another.
    ///
    /// By default ISO 8601 with as many fraction digits as necessary, so that no change of a date is
    /// lost. For a server that rejects fractions, use `.iso8601InSeconds`.
    public var dateFormat: DateFormat {
        get { snapshot.value.dates }
        set { change { $0.dates = newValue } }
    }

    /// The encoder of objects of `Encodable` types, which defines how dates, data and keys are written.
    public var encoder: DocumentEncoder {
        get { snapshot.value.encoder }
        set { change { $0.encoder = newValue } }
    }

    /// The decoder of values of `Decodable` types, which defines how dates, data and keys are read.
    ///
    /// The mapping of a response descriptor declares its own decoder.
    public var decoder: DocumentDecoder {
        get { snapshot.value.decoder }
        set { change { $0.decoder = newValue } }
    }

    /// The default header fields of requests: those of the client, and `Accept`.
    ///
    /// Setting this property sets the client's default header fields.
    public var defaultHeaders: HTTPFields {
        get { snapshot.value.defaultHeaders }
        set { change { $0.client.defaultHeaders = newValue } }
    }

    /// Sets the `Accept` header of requests, replacing the media types of ``formats``.
    ///
    /// - Parameter types: Media types or ranges in order of preference. Pass none to restore the
    ///   media types of ``formats``.
    public func setAccept(_ types: MediaType...) {
        let value = types.map(\.description).joined(separator: ", ")
        change { $0.client.defaultHeaders[.accept] = types.isEmpty ? nil : value }
    }

    /// The media type of parameters in request bodies.
    ///
    /// This is the type passed to ``setRequestFormat(_:)``, or else the client's
    /// `parameterMediaType`, or else `application/x-www-form-urlencoded`.
    public var requestFormat: MediaType { snapshot.value.requestFormat }

    /// Sets the media type of parameters in request bodies.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` if no
    ///   format is registered for the type in ``formats``.
    public func setRequestFormat(_ type: MediaType) throws(NetworkingError) {
        let isRegistered = change { configuration in
            guard configuration.formats.format(for: type) != nil else { return false }
            configuration.chosenRequestFormat = type
            return true
        }
        guard isRegistered else {
            throw NetworkingError(
                .invalidConfiguration, stage: .configuration,
                causes: ["no format is registered for \(type)"])
        }
    }

    /// The place of the parameters of requests, and the form of lists, Boolean values and `nil` in
    /// queries and forms; that of RestKit and Rails by default.
    ///
    /// A request can have a style of its own.
    public var parameterStyle: ParameterStyle {
        get { snapshot.value.parameterStyle }
        set { change { $0.parameterStyle = newValue } }
    }

    /// The mapping of response bodies onto the state of paginators; `nil` by default.
    ///
    /// It is a mapping for ``PaginationState``, which every paginator needs. A mapping without rules leaves
    /// the page count unknown. Paginators keep the mapping that they were created with.
    public var paginationMapping: ObjectMapping? {
        get { snapshot.value.paginationMapping }
        set { change { $0.paginationMapping = newValue } }
    }

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

    /// Changes the configuration; requests in progress keep the previous one.
    package func change<Result: Sendable, Failure>(
        _ body: (inout ObjectManagerConfiguration) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { (state) throws(Failure) in
            state.snapshot = nil
            return try body(&state.configuration)
        }
    }
}
