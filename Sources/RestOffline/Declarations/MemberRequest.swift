// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// A request that adds a member to a to-many relationship of an object, or removes one.
///
/// The request has the same effect when it is sent again. The pattern of its path has the properties of the object,
/// and those of the member behind `member`:
///
/// ```swift
/// Sends(Note.self).members(
///     \.tags, add: .put("notes/:id/tags/:member.id"), remove: .delete("notes/:id/tags/:member.id"))
/// ```
public struct MemberRequest: Sendable {
    let method: HTTPRequest.Method
    let path: String
    /// The name of the parameter of the body with the identity of the member; `nil` for no body.
    let parameter: String?

    /// Returns a PUT request without a body.
    public static func put(_ path: String) -> MemberRequest {
        MemberRequest(method: .put, path: path, parameter: nil)
    }

    /// Returns a DELETE request.
    ///
    /// An answer with status 404 or 410 says that the object does not have the member any more.
    public static func delete(_ path: String) -> MemberRequest {
        MemberRequest(method: .delete, path: path, parameter: nil)
    }

    /// Returns a POST request for a server that adds a member once, however often it is told to.
    ///
    /// - Parameters:
    ///   - path: The pattern of the path.
    ///   - parameter: The name of the member of the JSON body with the identity of the member of the relationship;
    ///     `nil` for no body.
    /// - Returns: The request.
    public static func post(_ path: String, parameter: String? = nil) -> MemberRequest {
        MemberRequest(method: .post, path: path, parameter: parameter)
    }
}

/// The requests of the members of a relationship.
struct MemberRequests: Sendable {
    let add: MemberRequest
    let remove: MemberRequest
}
