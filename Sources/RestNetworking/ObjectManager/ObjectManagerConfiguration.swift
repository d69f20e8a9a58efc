// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import Logging
package import RestDocument
package import RestMapping
package import RestTransport

/// The configuration that a request keeps until it ends, which it shares with other requests.
package final class ConfigurationSnapshot: Sendable {
    package let value: ObjectManagerConfiguration

    init(_ value: ObjectManagerConfiguration) {
        self.value = value
    }
}

/// The configuration of an ``ObjectManager`` as one value.
package struct ObjectManagerConfiguration: Sendable {
    /// The HTTP client that sends the requests.
    package var client: HTTPClient {
        didSet { updateFormat() }
    }

    /// The request descriptors, in the order in which they were added.
    package var requestDescriptors: [RequestDescriptor] = []

    /// The response descriptors.
    package var responseDescriptors = ResponseDescriptorIndex()

    /// The routes.
    package var routes = RouteSet()

    /// The router of requests.
    package var router: Router {
        var router = Router(baseURL: client.baseURL, routes: routes)
        router.dates = dates
        return router
    }

    /// The formats that read and write bodies, by media type.
    package var formats = FormatRegistry.standard {
        didSet {
            updateFormat()
            updateAccept()
        }
    }

    /// The limits for parsing a response body.
    package var parseLimits = ParseLimits.default

    /// The mapping of response bodies onto the state of paginators.
    package var paginationMapping: ObjectMapping?

    /// The format of dates in requests, unless a mapping declares another.
    package var dates = DateFormat.iso8601

    /// The encoder of types that encode themselves.
    package var encoder = DocumentEncoder()

    /// The decoder of types that decode themselves, if their descriptor declares no other.
    package var decoder = DocumentDecoder()

    /// The logger.
    package var logger = Logger(label: "RestNetworking.ObjectManager")

    /// See ``ObjectManager/onIssues``.
    package var onIssues: (@Sendable (ReportedIssues) -> Void)?

    /// The queue of operations.
    var operationQueue = ObjectRequestQueue()

    /// The registered kinds of operations and transports.
    var operationRegistry = OperationRegistry()

    /// The media type that ``ObjectManager/setRequestFormat(_:)`` set; `nil` if it was not called.
    package var chosenRequestFormat: MediaType? {
        didSet { updateFormat() }
    }

    /// See ``ObjectManager/parameterStyle``.
    package var parameterStyle = ParameterStyle() {
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
    package var requestFormat: MediaType { bodyFormat.type }

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
