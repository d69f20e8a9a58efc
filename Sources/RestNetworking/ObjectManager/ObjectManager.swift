// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument
import RestMapping
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
    let configuration: Mutex<ObjectManagerConfiguration>

    // Compiled lazily, one for each type that was requested.
    private let defaultDescriptors = Mutex<[ObjectIdentifier: ResponseDescriptor]>([:])

    /// Creates a manager without response descriptors.
    ///
    /// - Parameter client: The HTTP client. Its default headers and its `parameterMediaType` apply
    ///   to all requests. If no format is registered for the media type, requests send forms.
    public init(client: HTTPClient) {
        configuration = Mutex(ObjectManagerConfiguration(client: client))
    }

    /// The HTTP client that sends the requests.
    ///
    /// Replacing it does not affect requests in progress.
    public var client: HTTPClient {
        get { snapshot.client }
        set { configuration.withLock { $0.client = newValue } }
    }

    /// The base URL of the client, against which paths are resolved.
    public var baseURL: HTTPURL { client.baseURL }

    /// The limits for parsing a response body.
    public var parseLimits: ParseLimits {
        get { snapshot.parseLimits }
        set { configuration.withLock { $0.parseLimits = newValue } }
    }

    /// The formats that read and write bodies, by media type.
    ///
    /// The `Accept` header of requests lists the media types that the registry accepts.
    ///
    /// ```swift
    /// api.formats.register(PropertyListFormat(), for: "application/x-plist")
    /// ```
    public var formats: FormatRegistry {
        get { snapshot.formats }
        set { configuration.withLock { $0.formats = newValue } }
    }

    /// The default header fields of requests: those of the client, and `Accept`.
    ///
    /// Setting this property sets the client's default header fields.
    public var defaultHeaders: HTTPFields {
        get { snapshot.defaultHeaders }
        set { configuration.withLock { $0.client.defaultHeaders = newValue } }
    }

    /// Sets the `Accept` header of requests, replacing the media types of ``formats``.
    ///
    /// - Parameter types: Media types or ranges in order of preference. Pass none to restore the
    ///   media types of ``formats``.
    public func setAccept(_ types: MediaType...) {
        let value = types.map(\.description).joined(separator: ", ")
        configuration.withLock {
            $0.client.defaultHeaders[.accept] = types.isEmpty ? nil : value
        }
    }

    /// The media type of parameters in request bodies.
    ///
    /// This is the type passed to ``setRequestFormat(_:)``, or else the client's
    /// `parameterMediaType`, or else `application/x-www-form-urlencoded`.
    public var requestFormat: MediaType { snapshot.requestFormat }

    /// Sets the media type of parameters in request bodies.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` if no
    ///   format is registered for the type in ``formats``.
    public func setRequestFormat(_ type: MediaType) throws(NetworkingError) {
        let isRegistered = configuration.withLock { configuration in
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

    /// The current configuration.
    package var snapshot: ObjectManagerConfiguration {
        configuration.withLock { $0 }
    }
}

// MARK: - Descriptors

extension ObjectManager {
    /// The response descriptors, in the order in which they were added.
    public var responseDescriptors: [ResponseDescriptor] {
        snapshot.responseDescriptors.descriptors
    }

    /// Adds response descriptors: either all of them or, if one is invalid, none.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` and the
    ///   diagnostics of every descriptor.
    public func add(_ descriptors: ResponseDescriptor...) throws(NetworkingError) {
        try add(descriptors)
    }

    /// Adds response descriptors: either all of them or, if one is invalid, none.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` and the
    ///   diagnostics of every descriptor.
    public func add(_ descriptors: [ResponseDescriptor]) throws(NetworkingError) {
        let causes = descriptors.flatMap { descriptor in
            descriptor.diagnostics.map { "\(descriptor): \($0)" }
        }
        guard causes.isEmpty else {
            throw NetworkingError(.invalidConfiguration, stage: .configuration, causes: causes)
        }
        configuration.withLock { $0.responseDescriptors.append(descriptors) }
    }

    /// Removes all response descriptors that are equal to one of the given descriptors.
    public func remove(_ descriptors: ResponseDescriptor...) {
        remove(descriptors)
    }

    /// Removes all response descriptors that are equal to one of the given descriptors.
    public func remove(_ descriptors: [ResponseDescriptor]) {
        configuration.withLock {
            $0.responseDescriptors.removeAll { descriptors.contains($0) }
        }
    }

    /// Returns a descriptor that applies a type's default mapping to every response.
    func defaultDescriptor<Value: MappableValue>(
        for type: Value.Type
    ) throws(NetworkingError) -> ResponseDescriptor {
        let key = ObjectIdentifier(type)
        if let known = defaultDescriptors.withLock({ $0[key] }) { return known }
        let table = Value.relation?.table ?? PropertyTable(entity: "\(type)", [])
        let descriptor = ResponseDescriptor(ObjectMapping(defaultFor: table), statusCodes: nil)
        guard descriptor.diagnostics.isEmpty else {
            throw NetworkingError(
                .invalidConfiguration, stage: .configuration, causes: descriptor.diagnostics)
        }
        defaultDescriptors.withLock { $0[key] = descriptor }
        return descriptor
    }
}
