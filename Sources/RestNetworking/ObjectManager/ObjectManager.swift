// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument
import RestMapping
public import RestTransport
import Synchronization

/// Gets objects from a REST API.
///
/// ```swift
/// let api = ObjectManager(client: client)
/// let article: Article = try await api.get("articles/42")
///
/// try api.add(ResponseDescriptor(Article.self, at: "articles", keyPath: "articles"))
/// let result = try await api.getObjects(at: "articles", parameters: ["author": "Ann"])
/// ```
///
/// A manager composes: the client sends, descriptors say what a response holds, plans make the
/// objects. Its configuration is one value; changing it does not touch requests under way.
///
/// - Isolation: Functions run in the caller's isolation; receiving, parsing and mapping do not, and
///   new objects are handed over as the caller's own.
public final class ObjectManager: Sendable {
    private let configuration: Mutex<ObjectManagerConfiguration>

    // Descriptors by the type whose own mapping they hold, made when the type is first asked for.
    private let defaultDescriptors = Mutex<[ObjectIdentifier: ResponseDescriptor]>([:])

    /// Makes a manager without descriptors.
    ///
    /// - Parameter client: What sends the requests. Its default headers and its
    ///   `parameterMediaType` hold; a media type without a format counts as that of forms.
    public init(client: HTTPClient) {
        configuration = Mutex(ObjectManagerConfiguration(client: client))
    }

    /// What sends the requests; replacing it does not touch requests under way.
    public var client: HTTPClient {
        get { snapshot.client }
        set { configuration.withLock { $0.client = newValue } }
    }

    /// What paths are relative to: the client's.
    public var baseURL: HTTPURL { client.baseURL }

    /// What a document may grow to before it is refused.
    public var parseLimits: ParseLimits {
        get { snapshot.parseLimits }
        set { configuration.withLock { $0.parseLimits = newValue } }
    }

    /// Which format reads and writes which media type; requests say in `Accept` what it accepts.
    ///
    /// ```swift
    /// api.formats.register(PropertyListFormat(), for: "application/x-plist")
    /// ```
    public var formats: FormatRegistry {
        get { snapshot.formats }
        set { configuration.withLock { $0.formats = newValue } }
    }

    /// The header fields that requests have by default: the client's, and what is accepted.
    ///
    /// Setting them sets the client's.
    public var defaultHeaders: HTTPFields {
        get { snapshot.defaultHeaders }
        set { configuration.withLock { $0.client.defaultHeaders = newValue } }
    }

    /// Says what requests accept, in place of what the formats say.
    ///
    /// - Parameter types: Media types or ranges, the best first; none to let the formats say it.
    public func setAccept(_ types: MediaType...) {
        let value = types.map(\.description).joined(separator: ", ")
        configuration.withLock {
            $0.client.defaultHeaders[.accept] = types.isEmpty ? nil : value
        }
    }

    /// The media type in which bodies carry parameters: that of forms, unless the client declares
    /// another or ``setRequestFormat(_:)`` chooses one.
    public var requestFormat: MediaType { snapshot.requestFormat }

    /// Chooses the media type in which bodies carry parameters.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` when no
    ///   format is registered for it in ``formats``.
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

    /// The configuration as it is now.
    package var snapshot: ObjectManagerConfiguration {
        configuration.withLock { $0 }
    }
}

// MARK: - Descriptors

extension ObjectManager {
    /// The response descriptors in the order they were added.
    public var responseDescriptors: [ResponseDescriptor] { snapshot.responseDescriptors }

    /// Adds descriptors, all of them or none.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` that
    ///   lists every mistake of every descriptor.
    public func add(_ descriptors: ResponseDescriptor...) throws(NetworkingError) {
        try add(descriptors)
    }

    /// Adds descriptors, all of them or none.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` that
    ///   lists every mistake of every descriptor.
    public func add(_ descriptors: [ResponseDescriptor]) throws(NetworkingError) {
        let causes = descriptors.flatMap { descriptor in
            descriptor.mistakes.map { "\(descriptor): \($0)" }
        }
        guard causes.isEmpty else {
            throw NetworkingError(.invalidConfiguration, stage: .configuration, causes: causes)
        }
        configuration.withLock { $0.responseDescriptors += descriptors }
    }

    /// Removes every descriptor equal to one of these.
    public func remove(_ descriptors: ResponseDescriptor...) {
        remove(descriptors)
    }

    /// Removes every descriptor equal to one of these.
    public func remove(_ descriptors: [ResponseDescriptor]) {
        configuration.withLock {
            $0.responseDescriptors.removeAll { descriptors.contains($0) }
        }
    }

    /// The descriptor of a type's own mapping for every response.
    func defaultDescriptor<Value: MappableValue>(
        for type: Value.Type
    ) throws(NetworkingError) -> ResponseDescriptor {
        let key = ObjectIdentifier(type)
        if let known = defaultDescriptors.withLock({ $0[key] }) { return known }
        let table = Value.relation?.table ?? PropertyTable(entity: "\(type)", [])
        let descriptor = ResponseDescriptor(ObjectMapping(defaultFor: table), statusCodes: nil)
        guard descriptor.mistakes.isEmpty else {
            throw NetworkingError(
                .invalidConfiguration, stage: .configuration, causes: descriptor.mistakes)
        }
        defaultDescriptors.withLock { $0[key] = descriptor }
        return descriptor
    }
}
