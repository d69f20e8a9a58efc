// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import RestDocument
import RestTransport

/// The way to learn the identity of a new object from the `Location` field of a response without a body.
///
/// The field names the resource that a POST request has created. Its path has the identity in the place of a
/// parameter of the object's route.
///
/// - Source: RFC 9110 §9.3.3 and §10.2.2.
package struct LocatedObject: Sendable {
    /// The paths of the object's routes with the parameter.
    private let patterns: [PathPattern]
    /// The name of the parameter.
    private let parameter: String
    /// The path of the identity in a representation.
    private let path: DocumentPath
    /// A Boolean value that indicates whether the identity is a number.
    private let isNumber: Bool

    /// Creates the way to learn the identity of objects of a type; `nil` if no route of the type has the parameter.
    ///
    /// - Parameters:
    ///   - type: The type, which has routes.
    ///   - parameter: The name of the property with the identity.
    ///   - path: The path of the identity in a representation.
    ///   - isNumber: A Boolean value that indicates whether the identity is an integer, and not a text.
    ///   - routes: The routes.
    package init?<Object>(
        _ type: Object.Type, parameter: String, path: DocumentPath, isNumber: Bool,
        among routes: RouteSet
    ) {
        patterns = routes.routes(forType: type).compactMap(\.pathPattern).filter {
            $0.parameters.contains(parameter)
        }
        if patterns.isEmpty { return nil }
        (self.parameter, self.path, self.isNumber) = (parameter, path, isNumber)
    }

    /// Returns a representation that has only the identity; `nil` if the response does not name the object.
    func representation(in response: TransportResponse, baseURL: HTTPURL?) -> Document? {
        guard StatusCodeSet.successful.contains(response.status.code),
            let field = response.headerFields.first(.location),
            let url = try? response.request.url.resolving(field),
            let paths = RequestedLocation(url: url, baseURL: baseURL).paths(relativeTo: baseURL)
        else { return nil }
        for pattern in patterns {
            for located in paths {
                guard let text = pattern.arguments(in: located)?[parameter] else { continue }
                return (isNumber ? Self.integer(text) : .string(text))?.nested(at: path)
            }
        }
        return nil
    }

    private static func integer(_ text: String) -> Document? {
        Int64(text).map { .number($0) } ?? UInt64(text).map { .number($0) }
    }
}

extension Document {
    /// Returns an object that has the document at a path; `nil` if the path has an index.
    func nested(at path: DocumentPath) -> Document? {
        var document = self
        for component in path.components.reversed() {
            guard case .key(let key) = component else { return nil }
            document = .object([(key, document)])
        }
        return document
    }
}
