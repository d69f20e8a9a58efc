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
    /// A merge patch, whatever the request format.
    case mergePatch(Document)
}

extension RequestAssembler {
    /// Returns the body of an object merged with parameters.
    ///
    /// An object without parameters is written as JSON or as a form at once, if that is the request
    /// format.
    func body(
        of object: RequestObject?, _ parameters: Document, _ method: HTTPRequest.Method
    ) throws(NetworkingError) -> RequestBody {
        guard let object else { return parameters.isEmptyObject ? .none : .document(parameters) }
        let writer = ObjectWriter(configuration.value, method)
        if !keepsBodyDocument, let format = configuration.value.bodyFormat.direct,
            parameters.isEmptyObject,
            let bytes = try writer.bytes(of: object, as: format)
        {
            return .bytes(bytes)
        }
        if let document = try writer.document(of: object, adding: parameters) {
            return .document(document)
        }
        guard !parameters.isEmptyObject else {
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
        let writer = ObjectWriter(configuration.value, method)
        guard let old = try writer.document(of: base, adding: [:]),
            let new = try writer.document(of: object, adding: [:])
        else {
            throw NetworkingError(
                .noMatchingDescriptor, stage: .assembly, method: method.rawValue,
                causes: ["the request descriptors for the object are for other methods"])
        }
        return new.mergePatch(from: old)
    }

    /// Writes a body in the request format, or as a multipart form.
    func write(
        _ body: RequestBody, to request: inout TransportRequest
    ) throws(NetworkingError) {
        let format = configuration.value.bodyFormat
        switch body {
        case .none: return
        case .bytes(let bytes): request.body = .bytes(bytes)
        case .document(let document):
            do throws(DocumentError) {
                request.body = .bytes(
                    try configuration.value.formats.write(document, as: format.type))
            } catch {
                throw NetworkingError(
                    .invalidRequest, stage: .assembly, method: request.method.rawValue,
                    url: request.url.redacted, path: error.path,
                    causes: ["the parameters cannot be written as \(format.type)"],
                    underlying: error)
            }
        case .mergePatch(let patch):
            request.body = .bytes(JSONWriter.compact.bytes(of: patch))
            request.headerFields[.contentType] = "application/merge-patch+json"
            return
        case .form(let form):
            do throws(TransportError) {
                try request.setForm(form)
            } catch {
                throw formError(error, request.method)
            }
            return
        }
        request.headerFields[.contentType] = format.contentType
    }
}

// MARK: - Forms

extension RequestAssembler {
    /// The methods of requests with a form.
    private static let methodsWithForm: Set<HTTPRequest.Method> = [.delete, .patch, .post, .put]

    /// Returns the body of a multipart form: the fields of object and parameters, then the parts that
    /// the caller adds.
    func body(
        of addParts: (inout MultipartForm) throws -> Void, _ object: RequestObject?,
        _ parameters: Document, _ method: HTTPRequest.Method
    ) throws(NetworkingError) -> RequestBody {
        guard Self.methodsWithForm.contains(method) else {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, method: method.rawValue,
                causes: ["a form is sent by DELETE, PATCH, POST or PUT"])
        }
        let fields: RequestBody
        if Self.methodsWithBody.contains(method) {
            fields = try documentBody(of: object, parameters, method)
        } else {
            fields = parameters.isEmptyObject ? .none : .document(parameters)
        }
        var form = MultipartForm()
        do {
            if case .document(let document) = fields {
                guard document.root.kind == .object else {
                    throw NetworkingError(
                        .invalidRequest, stage: .assembly, method: method.rawValue,
                        causes: ["a list has no names for the fields of a form; use a root key"])
                }
                try form.add(document.root, named: "")
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
        of object: RequestObject?, _ parameters: Document, _ method: HTTPRequest.Method
    ) throws(NetworkingError) -> RequestBody {
        guard let object else { return parameters.isEmptyObject ? .none : .document(parameters) }
        let writer = ObjectWriter(configuration.value, method)
        return .document(try writer.document(of: object, adding: parameters) ?? parameters)
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
    /// Adds one field for each plain value, with the names of a URL-encoded form; null is an empty
    /// field.
    fileprivate mutating func add(_ node: Node, named name: String) throws(TransportError) {
        switch node.kind {
        case .object:
            for (key, value) in node.members {
                try add(value, named: name.isEmpty ? key : "\(name)[\(key)]")
            }
        case .array:
            for element in node.elements { try add(element, named: name + "[]") }
        case .null: try addField("", named: name)
        case .boolean: try addField(node.bool == true ? "1" : "0", named: name)
        case .number: try addField(node.numberText ?? "", named: name)
        case .string: try addField(node.string ?? "", named: name)
        }
    }
}
