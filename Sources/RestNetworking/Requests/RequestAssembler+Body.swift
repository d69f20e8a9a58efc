// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTransport

/// The body of a request before it is written in a format.
enum RequestBody {
    case none
    /// The bytes in the request format.
    case bytes([UInt8])
    case document(Document)
    case form(MultipartForm)
    /// A merge patch, whatever the request format; the changes are `nil` if nothing differs.
    case mergePatch(changes: Document?, parameters: Document?)

    /// The document to which pages add members; `nil` for none.
    var document: Document? {
        if case .document(let document) = self { document } else { nil }
    }
}

extension RequestAssembler {
    /// Returns the body of a request: its form, its changes, or its object merged with parameters.
    ///
    /// The parameters are those of the body; `nil` if it has none.
    func body<Value>(
        of request: ObjectRequest<Value>, _ parameters: Document?, _ format: BodyFormat,
        _ method: HTTPRequest.Method
    ) throws(NetworkingError) -> RequestBody {
        if let addParts = request.form {
            return try form(addParts, request.object, parameters, request.parameterStyle, method)
        }
        guard let object = request.object else { return parameters.map { .document($0) } ?? .none }
        if let base = request.base {
            let changes = try changes(of: object, since: base, method)
            return .mergePatch(changes: changes, parameters: parameters)
        }
        return try body(of: object, parameters, format, method)
    }

    /// Returns the body of an object merged with parameters.
    ///
    /// An object without parameters is written as JSON or as a form at once, if that is the request
    /// format.
    private func body(
        of object: RequestObject, _ parameters: Document?, _ format: BodyFormat,
        _ method: HTTPRequest.Method
    ) throws(NetworkingError) -> RequestBody {
        let writer = ObjectWriter(configuration, method)
        let parameters = parameters?.isEmptyObject == true ? Document?.none : parameters
        if !keepsBodyDocument, let format = format.direct, parameters == nil,
            let bytes = try writer.bytes(of: object, as: format)
        {
            return .bytes(bytes)
        }
        if let document = try writer.document(of: object, adding: parameters) {
            return .document(document)
        }
        guard let parameters else {
            throw NetworkingError(
                .noMatchingDescriptor, stage: .assembly, method: method.rawValue,
                causes: ["the request descriptors for the object are for other methods"])
        }
        return .document(parameters)
    }

    /// Returns the merge patch from one state of an object to another; `nil` if nothing differs.
    func changes(
        of object: RequestObject, since base: RequestObject, _ method: HTTPRequest.Method
    ) throws(NetworkingError) -> Document? {
        let writer = ObjectWriter(configuration, method)
        guard let old = try writer.document(of: base, adding: nil),
            let new = try writer.document(of: object, adding: nil)
        else {
            throw NetworkingError(
                .noMatchingDescriptor, stage: .assembly, method: method.rawValue,
                causes: ["the request descriptors for the object are for other methods"])
        }
        return new.mergePatch(from: old)
    }

    /// Writes a body in a format, or as a multipart form.
    ///
    /// The media type is that of the body, unless the request or the client has a `Content-Type`. That
    /// of a form has the boundary, so the request cannot have another one.
    func write(
        _ body: RequestBody, as format: BodyFormat, to request: inout TransportRequest
    ) throws(NetworkingError) {
        var contentType = format.contentType
        switch body {
        case .none: return
        case .bytes(let bytes): request.body = .bytes(bytes)
        case .document(let document):
            do throws(DocumentError) {
                request.body = .bytes(try format.bytes(of: document))
            } catch {
                throw NetworkingError(
                    .invalidRequest, stage: .assembly, method: request.method.rawValue,
                    url: request.url.redacted, path: error.path,
                    causes: ["the parameters cannot be written as \(format.type)"],
                    underlying: error)
            }
        case .mergePatch(let changes, let parameters):
            let patch = (changes ?? [:]).merging(parameters ?? [:])
            request.body = .bytes(JSONWriter.compact.bytes(of: patch))
            contentType = "application/merge-patch+json"
        case .form(let form):
            guard !request.headerFields.contains(.contentType) else {
                throw NetworkingError(
                    .invalidRequest, stage: .assembly, method: request.method.rawValue,
                    url: request.url.redacted,
                    causes: ["the form has its own Content-Type; remove that of the request"])
            }
            do throws(TransportError) {
                try request.setForm(form)
            } catch {
                throw formError(error, request.method)
            }
            return
        }
        if !request.headerFields.contains(.contentType),
            !configuration.value.client.defaultHeaders.contains(.contentType)
        {
            request.headerFields[.contentType] = contentType
        }
    }
}

// MARK: - Forms

extension RequestAssembler {
    /// The methods of requests with a form.
    private static let methodsWithForm: Set<HTTPRequest.Method> = [.delete, .patch, .post, .put]

    /// Returns the body of a multipart form: the fields of object and parameters, then the parts that
    /// the caller adds.
    private func form(
        _ addParts: (inout MultipartForm) throws -> Void, _ object: RequestObject?,
        _ parameters: Document?, _ style: ParameterStyle, _ method: HTTPRequest.Method
    ) throws(NetworkingError) -> RequestBody {
        guard Self.methodsWithForm.contains(method) else {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, method: method.rawValue,
                causes: ["a form is sent by DELETE, PATCH, POST or PUT"])
        }
        let fields = try documentBody(of: object, parameters, method)
        var form = MultipartForm()
        do {
            if case .document(let document) = fields {
                guard document.root.kind == .object else {
                    throw NetworkingError(
                        .invalidRequest, stage: .assembly, method: method.rawValue,
                        causes: ["a list has no names for the fields of a form; use a root key"])
                }
                try form.add(
                    document, style.applied(to: configuration.value.queryFormat).style)
            }
            try addParts(&form)
        } catch let error as NetworkingError {
            throw error
        } catch {
            throw formError(error, method)
        }
        return form.partCount == 0 ? fields : .form(form)
    }

    /// Returns the body of an object merged with parameters, never as text.
    private func documentBody(
        of object: RequestObject?, _ parameters: Document?, _ method: HTTPRequest.Method
    ) throws(NetworkingError) -> RequestBody {
        guard let object else { return parameters.map { .document($0) } ?? .none }
        let writer = ObjectWriter(configuration, method)
        return .document(
            try writer.document(of: object, adding: parameters) ?? parameters ?? [:])
    }

    private func formError(
        _ error: any Error, _ method: HTTPRequest.Method
    ) -> NetworkingError {
        NetworkingError(
            .invalidRequest, stage: .assembly, method: method.rawValue,
            causes: ["the form cannot be created"], underlying: error)
    }
}

extension MultipartForm {
    /// Adds one field for each plain value of an object, with the names of a URL-encoded form.
    ///
    /// - Throws: `TransportError` for a form that is too large, or `DocumentError` for a list that the
    ///   style cannot express.
    fileprivate mutating func add(_ document: Document, _ style: FormStyle) throws {
        var fields = FormFields(style: style)
        try fields.add(document.root, named: "", at: [])
        for field in fields.fields { try addField(field.value, named: field.name) }
    }
}
