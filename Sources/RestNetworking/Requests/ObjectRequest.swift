// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument
public import RestMapping
public import RestTransport

/// A request as a value: what to send, where to, and what to read from the response.
///
/// ```swift
/// var request = ObjectRequest<[Article]>(at: "articles", parameters: ["page": 2])
/// request.keyPath = "data"
/// request.timeout = .seconds(5)
/// let response = try await api.send(request)
/// show(response.value, response.report.issues)
/// ```
///
/// Nothing is checked or sent before ``ObjectManager/send(_:)``. A copy is an independent request.
///
/// Not Sendable: ``object`` belongs to the caller.
public struct ObjectRequest<Value> {
    /// The request method; `nil` for the method of the named route, or else GET.
    public var method: HTTPRequest.Method?

    /// The resource that the request is for.
    public var target: RequestTarget

    /// The object whose values form the body of a PATCH, POST, PUT or QUERY request, and whose values
    /// fill the parameters of a route.
    ///
    /// The ``RequestDescriptor`` for the object's type and the method describes the body, or
    /// the type's own mapping if there are no descriptors for the type. Requests with other methods
    /// send the object if the ``ParameterStyle/placement`` is the body, or if there is a ``form``. An
    /// object that would neither be sent nor select or fill a route is an error, unless it is managed.
    public var object: RequestObject?

    /// The state of ``object`` that the server knows; if there is one, the body is a merge patch (RFC
    /// 7396) with what differs from it.
    package var base: RequestObject?

    /// The parameters: merged into the object's representation for PATCH, POST, PUT and QUERY, added
    /// to the query for other methods, and fields of the ``form`` if there is one.
    ///
    /// The ``parameterStyle`` can name another place.
    ///
    /// If object and parameters have a value of the same name, that of the parameters is sent;
    /// objects are merged at every depth, and arrays are replaced.
    public var parameters: RequestParameters

    /// The place and the form of the parameters, as far as they differ from those of
    /// ``ObjectManager/parameterStyle``.
    public var parameterStyle = ParameterStyle()

    /// The location of the value in the response; `nil` for that of the response descriptor, or else
    /// the whole document.
    public var keyPath: DocumentPath?

    /// The header fields, in addition to the default ones, which they replace.
    ///
    /// If there is a `Content-Type`, the body is written in the format that is registered for it, or
    /// else in the request format of the manager, and the field is sent as it is.
    public var headerFields: HTTPFields = [:]

    /// A closure that adds parts to a `multipart/form-data` body, in which the object's values and the
    /// parameters are the first fields.
    ///
    /// If the form is empty, the request is sent as without it.
    public var form: ((inout MultipartForm) throws -> Void)?

    /// The limits of the exchange; `nil` for those of the client.
    public var limits: TransportLimits?

    /// The maximum time of the whole exchange; `nil` for that of ``limits``.
    public var timeout: Duration?

    /// The cache policy.
    public var cachePolicy = CachePolicy.standard

    /// The priority in the queue.
    public var priority = RequestPriority.normal

    /// The `Idempotency-Key` of the request, which allows interceptors to repeat it.
    public var idempotencyKey: String?

    /// The user of the request; `nil` for that of the client.
    public var principal: Principal?

    /// The observer of progress.
    public var progress: ProgressObserver?

    /// The values for sources that begin with `@metadata`.
    ///
    /// They are merged at every depth with those of the manager, and replace them.
    public var metadata: RequestParameters = [:]

    /// A Boolean value that indicates whether the bytes of the response's body are kept beside its value;
    /// `false` by default.
    ///
    /// They are ``MappedResponse/body`` of a call and ``RequestOperation/responseBody`` of an operation.
    public var keepsResponseBody = false

    /// A closure that may replace the document of the response before it is mapped.
    ///
    /// It receives the parsed body and returns a document with an object or an array, or the document
    /// it received. If it returns `nil`, the response is declined: the request ends with code
    /// ``NetworkingError/Code/mappingDeclined``. It is not called for an empty body.
    public var willMapDocument: (@Sendable (Document) throws -> Document?)?

    /// The way to map the response.
    let reading: ResponseReading<Value>

    init(
        _ reading: ResponseReading<Value>, _ method: HTTPRequest.Method?,
        _ target: some RequestTargetConvertible, object: RequestObject? = nil,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil
    ) {
        self.reading = reading
        self.method = method
        self.target = target.requestTarget
        self.object = object
        self.parameters = parameters
        self.keyPath = keyPath
    }
}
