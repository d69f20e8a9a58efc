// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping

/// Writes objects by the request descriptors of their types, or else by the types' own mappings.
struct ObjectWriter {
    let descriptors: [RequestDescriptor]
    /// The request method; `nil` to use descriptors for all methods.
    let method: HTTPRequest.Method?
    /// The types' own mappings; `nil` to use descriptors only.
    let defaults: DefaultMappings?
    /// The configuration of the manager; `nil` for its defaults.
    private let configuration: ConfigurationSnapshot?
    /// The format of dates for which the mappings declare none.
    let dates: DateFormat

    /// Creates a writer of objects for requests of a manager.
    init(_ configuration: ConfigurationSnapshot, _ method: HTTPRequest.Method) {
        descriptors = configuration.value.requestDescriptors
        self.method = method
        defaults = configuration.value.defaults
        self.configuration = configuration
        dates = configuration.value.dateFormat
    }

    /// Creates a writer by one descriptor, whatever its methods are.
    init(_ descriptor: RequestDescriptor) {
        descriptors = [descriptor]
        method = nil
        defaults = nil
        configuration = nil
        dates = .iso8601
    }

    /// Returns the body of an object, written without a document; `nil` if it has to be created as a
    /// document, or if there is nothing to send.
    func bytes(
        of object: RequestObject, as format: DirectFormat
    ) throws(NetworkingError) -> [UInt8]? {
        switch object.content {
        case .object(let subject):
            guard !(subject is any ObjectMappable), let writing = try writing(of: subject) else {
                return nil
            }
            return try wrapping { () throws(MappingError) in
                switch format {
                case .json: try writing.plan.bytes(of: subject)
                case .form(let format): try writing.plan.form(of: subject, in: format)
                }
            }
        case .list(let subjects, let elements):
            guard !subjects.contains(where: { $0 is any ObjectMappable }),
                let list = try list(of: subjects, elements)
            else { return nil }
            switch format {
            case .json: return try json(of: list)
            case .form(let format): return list.rootKeys == nil ? nil : try form(of: list, format)
            }
        case .encodable: return nil
        }
    }

    /// Returns the representation of an object, merged with parameters, which take precedence.
    ///
    /// - Returns: The document; `nil` if the manager has request descriptors for the object's type
    ///   but none for the method.
    func document(
        of object: RequestObject, adding parameters: Document?
    ) throws(NetworkingError) -> Document? {
        switch object.content {
        case .object(let subject):
            guard let writing = try writing(of: subject) else { return nil }
            var document = try merge(
                wrapping { () throws(MappingError) in try writing.document(of: subject) },
                parameters)
            (subject as? any ObjectMappable)?.willSend(&document)
            return document
        case .list(let subjects, let elements):
            guard let list = try list(of: subjects, elements) else { return nil }
            return try merge(document(of: list), parameters)
        case .encodable(let value): return try merge(try encode(value), parameters)
        }
    }

    private func encode(_ value: any Encodable) throws(NetworkingError) -> Document {
        do {
            return try Document(
                encoding: value, by: configuration?.value.encoder ?? DocumentEncoder(),
                dates: dates)
        } catch {
            let path = (error as? DocumentError)?.path ?? (error as? MappingError)?.path
            throw self.error("the object cannot be encoded", at: path, error)
        }
    }

    private func merge(
        _ document: Document, _ parameters: Document?
    ) throws(NetworkingError) -> Document {
        guard let parameters, !parameters.isEmptyObject else { return document }
        guard document.root.kind == .object, parameters.root.kind == .object else {
            throw error(
                "parameters can be merged with an object only, not with "
                    + "\(document.root.kind); give the request descriptor a root key")
        }
        return document.merging(parameters)
    }

    /// Calls a closure and wraps its error; the index is that of an object in a list.
    func wrapping<Result>(
        at index: Int? = nil, _ body: () throws(MappingError) -> Result
    ) throws(NetworkingError) -> Result {
        do throws(MappingError) {
            return try body()
        } catch {
            let path = index.map { DocumentPath([.index($0)] + error.path.components) }
            throw self.error("the object cannot be represented", at: path ?? error.path, error)
        }
    }

    /// Returns the error of an object that cannot be sent.
    func error(
        _ cause: String, at path: DocumentPath? = nil, _ underlying: (any Error)? = nil
    ) -> NetworkingError {
        NetworkingError(
            .invalidRequest, stage: .assembly, method: method?.rawValue, path: path,
            causes: [cause], underlying: underlying)
    }
}

/// A format that request plans write themselves.
enum DirectFormat: Sendable {
    /// JSON without white space.
    case json
    case form(FormFormat)

    /// Creates the direct form of a registered format; returns `nil` if there is none.
    init?(_ format: (any DocumentFormat)?) {
        switch format {
        case let format as JSONFormat where format.writer == .compact: self = .json
        case let format as FormFormat: self = .form(format)
        default: return nil
        }
    }
}

// MARK: - Mappings

/// The plans for the objects of a type.
struct ObjectWriting {
    /// The plan of one object, with its root key.
    private(set) var plan: RequestPlan
    /// The plan of an element of a list, without the root key.
    private(set) var elementPlan: RequestPlan
    let rootKey: String?
    /// A Boolean value that indicates whether the type's own mapping is used.
    let isDefault: Bool

    init(
        _ descriptor: RequestDescriptor, _ plans: RequestDescriptor.Plans, dates: DateFormat
    ) {
        plan = plans.object
        elementPlan = plans.element
        rootKey = descriptor.rootKey
        isDefault = false
        plan.dates = dates
        elementPlan.dates = dates
    }

    init(default plan: RequestPlan, dates: DateFormat) {
        self.plan = plan
        self.plan.dates = dates
        elementPlan = self.plan
        rootKey = nil
        isDefault = true
    }

    func document(of subject: any RequestSubject) throws(MappingError) -> Document {
        guard isDefault, let mappable = subject as? any ObjectMappable else {
            return try plan.document(of: subject)
        }
        return try mappable.serialized(dates: plan.dates)
    }

    func elementDocument(of subject: any RequestSubject) throws(MappingError) -> Document {
        guard isDefault, let mappable = subject as? any ObjectMappable else {
            return try elementPlan.document(of: subject)
        }
        return try mappable.parameters(dates: elementPlan.dates)
    }
}

extension ObjectWriter {
    /// Returns the plans for an object; `nil` if there are descriptors for its type, but none for the
    /// method.
    func writing(of subject: any RequestSubject) throws(NetworkingError) -> ObjectWriting? {
        if !descriptors.isEmpty {
            switch RequestDescriptor.selection(for: subject, method, among: descriptors) {
            case .descriptor(let descriptor, let plans):
                return ObjectWriting(descriptor, plans, dates: dates)
            case .otherMethods: return nil
            case .none: break
            }
        }
        let type = type(of: subject)
        guard let defaults else {
            throw error("the request descriptor is not for \(type)")
        }
        let plan = try wrapping { () throws(MappingError) in try defaults.requestPlan(for: type) }
        guard let plan else {
            throw error("\(type) has no mapping of its own; add a request descriptor")
        }
        return ObjectWriting(default: plan, dates: dates)
    }
}
