// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
public import Logging
public import RestDocument
public import RestMapping
public import RestTransport

/// The configuration that a request keeps until it ends, which it shares with other requests.
package final class ConfigurationSnapshot: Sendable {
    package let value: ObjectManagerConfiguration

    init(_ value: ObjectManagerConfiguration) {
        self.value = value
    }
}

/// The configuration of an ``ObjectManager`` as one value, which ``ObjectManager/configure(_:)`` changes.
public struct ObjectManagerConfiguration: Sendable {
    /// The HTTP client that sends the requests.
    public var client: HTTPClient {
        didSet { updateFormat() }
    }

    /// The request descriptors, in the order in which they were added.
    package var requestDescriptors: [RequestDescriptor] = []

    /// The response descriptors.
    package var responseDescriptors = ResponseDescriptorIndex()

    /// The routes.
    public var routes = RouteSet()

    /// The router of requests.
    package var router: Router {
        var router = Router(baseURL: client.baseURL, routes: routes)
        router.dates = dateFormat
        router.encoder = encoder
        return router
    }

    /// The formats that read and write bodies, by media type.
    ///
    /// The `Accept` header of requests lists the media types that the registry accepts.
    ///
    /// ```swift
    /// api.configure { $0.formats.register(PropertyListFormat(), for: "application/x-plist") }
    /// ```
    public var formats = FormatRegistry.standard {
        didSet {
            updateFormat()
            updateAccept()
        }
    }

    /// The limits for parsing a response body.
    public var parseLimits = ParseLimits.default

    /// The mapping of response bodies onto the state of paginators; `nil` by default.
    ///
    /// It is a mapping for ``PaginationState``, which every paginator needs. A mapping without rules leaves
    /// the page count unknown. Paginators keep the mapping that they were created with.
    public var paginationMapping: ObjectMapping?

    /// The format of the dates that requests contain in bodies, queries and paths, unless a mapping,
    /// an attribute or an encoder declares another.
    ///
    /// By default ISO 8601 with as many fraction digits as necessary, so that no change of a date is
    /// lost. For a server that rejects fractions, use `.iso8601InSeconds`.
    public var dateFormat = DateFormat.iso8601

    /// The encoder of objects of `Encodable` types, which defines how dates, data and keys are written.
    ///
    /// Dates are in the ``dateFormat`` unless the encoder has a strategy for them.
    public var encoder = DocumentEncoder()

    /// The decoder of values of `Decodable` types, which defines how dates, data and keys are read.
    ///
    /// The mapping of a response descriptor declares its own decoder.
    public var decoder = DocumentDecoder()

    /// The logger.
    public var logger = Logger(label: "RestNetworking.ObjectManager")

    /// The function that receives the issues of each response, such as a value that is not a date;
    /// `nil`, the default, logs them as one warning for each response.
    ///
    /// The warning names paths, properties and kinds of values, never values. The function is called
    /// after the response was mapped, also if mapping failed or if the response is an error, and
    /// outside of the caller's isolation unless the response was mapped in it.
    public var onIssues: (@Sendable (ReportedIssues) -> Void)?

    /// The queue of the manager's operations.
    ///
    /// Several managers can share a queue. Replacing it does not affect operations that were
    /// enqueued before; they stay in the earlier queue.
    public var operationQueue = ObjectRequestQueue()

    /// The registered kinds of operations and transports.
    var operationRegistry = OperationRegistry()

    /// The media type that ``setRequestFormat(_:)`` set; `nil` if it was not called.
    package private(set) var chosenRequestFormat: MediaType? {
        didSet { updateFormat() }
    }

    /// The place of the parameters of requests, and the form of lists, Boolean values and `nil` in
    /// queries and forms; that of RestKit and Rails by default.
    ///
    /// A request can have a style of its own.
    public var parameterStyle = ParameterStyle() {
        didSet { updateFormat() }
    }

    /// The values that other targets add, such as the store of managed objects.
    package var additions = ConfigurationAdditions()

    /// The import of entities into the default store; `nil` if there is none.
    package var entityImporter: (any EntityImporter)?

    /// The compiled default mappings of types.
    let defaults = DefaultMappings()

    /// The format of request bodies.
    private(set) var bodyFormat = BodyFormat(.formURLEncoded, FormFormat())

    /// The format of queries.
    private(set) var queryFormat = FormFormat()

    /// The value of the `Accept` field for the registered formats; `nil` if there are none.
    private(set) var accept: String?

    /// Creates the configuration of a manager without descriptors.
    package init(client: HTTPClient) {
        self.client = client
        updateFormat()
        updateAccept()
    }

    /// The default header fields of requests: those of the client, and `Accept`.
    package var defaultHeaders: HTTPFields {
        var fields = client.defaultHeaders
        if !fields.contains(.accept), let accept { fields[.accept] = accept }
        return fields
    }

    /// The media type of parameters in request bodies.
    ///
    /// This is the type passed to ``setRequestFormat(_:)``, or else the client's
    /// `parameterMediaType`, or else `application/x-www-form-urlencoded`.
    public var requestFormat: MediaType { bodyFormat.type }

    /// Sets the media type of parameters in request bodies.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` if no
    ///   format is registered for the type in ``formats``.
    public mutating func setRequestFormat(_ type: MediaType) throws(NetworkingError) {
        guard formats.format(for: type) != nil else {
            throw NetworkingError(
                .invalidConfiguration, stage: .configuration,
                causes: ["no format is registered for \(type)"])
        }
        chosenRequestFormat = type
    }

    /// Sets the `Accept` header of requests, replacing the media types of ``formats``.
    ///
    /// - Parameter types: Media types or ranges in order of preference. Pass none to restore the
    ///   media types of ``formats``.
    public mutating func setAccept(_ types: MediaType...) { setAccept(types) }

    mutating func setAccept(_ types: [MediaType]) {
        let value = types.map(\.description).joined(separator: ", ")
        client.defaultHeaders[.accept] = types.isEmpty ? nil : value
    }

    /// A Boolean value that indicates whether no format is registered for the client's
    /// `parameterMediaType`.
    var isClientFormatUnregistered: Bool {
        MediaType(parsing: client.parameterMediaType).flatMap { formats.format(for: $0) } == nil
    }

    private mutating func updateFormat() {
        let clientType = MediaType(parsing: client.parameterMediaType).flatMap { type in
            formats.format(for: type) == nil ? nil : type
        }
        let type = chosenRequestFormat ?? clientType ?? .formURLEncoded
        bodyFormat = BodyFormat(type, formats.format(for: type)).styled(by: parameterStyle)
        queryFormat = parameterStyle.applied(
            to: formats.format(for: .formURLEncoded) as? FormFormat ?? FormFormat())
    }

    /// Returns the format of the body of a request with header fields and a style of its own.
    ///
    /// The format is the one that is registered for the `Content-Type` of the request or of the client.
    func bodyFormat(for fields: HTTPFields, _ style: ParameterStyle) -> BodyFormat {
        var format = bodyFormat
        if let field = fields[.contentType] ?? client.defaultHeaders[.contentType],
            let type = MediaType(parsing: field), let registered = formats.format(for: type)
        {
            format = BodyFormat(type, registered).styled(by: parameterStyle)
        }
        return format.styled(by: style)
    }

    private mutating func updateAccept() {
        let types = formats.accepted.map(\.description)
        accept = types.isEmpty ? nil : types.joined(separator: ", ")
    }
}

/// The format of request bodies with its media type.
struct BodyFormat: Sendable {
    let type: MediaType
    /// The format; `nil` if none is registered for the type.
    private(set) var format: (any DocumentFormat)?
    /// The format, if request plans write it themselves.
    private(set) var direct: DirectFormat?

    /// The value of the `Content-Type` field.
    let contentType: String

    init(_ type: MediaType, _ format: (any DocumentFormat)?) {
        self.type = type
        self.format = format
        direct = DirectFormat(format)
        contentType = Self.contentType(of: type)
    }

    /// Returns the value of the `Content-Type` field of a media type.
    ///
    /// The types of text and of XML have a `charset` (RFC 6838 §4.2.1, RFC 7303), and forms are sent
    /// with one as by browsers (WHATWG Fetch §5.2). Other types have none: servers of JSON:API refuse
    /// every parameter that is not theirs.
    private static func contentType(of type: MediaType) -> String {
        let isText =
            type.type == "text" || type.subtype == "xml" || type.suffix == "xml"
            || type.essence == MediaType.formURLEncoded.essence
        return isText && type.parameters["charset"] == nil ? "\(type); charset=utf-8" : "\(type)"
    }

    /// Returns a document in the format.
    ///
    /// - Throws: `DocumentError`, with code `unregisteredFormat` if no format is registered.
    func bytes(of document: Document) throws(DocumentError) -> [UInt8] {
        guard let format else { return try FormatRegistry().write(document, as: type) }
        return try format.write(document)
    }

    /// Returns the format with the choices of a style, if it is a form.
    func styled(by style: ParameterStyle) -> BodyFormat {
        guard let form = format as? FormFormat else { return self }
        let styled = style.applied(to: form)
        return styled == form ? self : BodyFormat(type, styled)
    }
}
