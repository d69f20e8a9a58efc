// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestMapping
public import RestTransport

/// A page of a list.
public struct Page<Object> {
    /// The objects in document order.
    public let objects: [Object]

    /// The URL of the page.
    public let url: HTTPURL

    /// The status and header fields of the response.
    public let head: HTTPResponse

    /// The mapping report of the page.
    public let report: MappingReport

    /// The number of pages before this one.
    public let index: Int

    /// The number of objects in the list; `nil` if the server does not send it.
    ///
    /// It is the value at ``Pagination/totalObjects``.
    public let totalObjects: Int?

    /// The number of pages of the list; `nil` if the server does not send it.
    ///
    /// It is the value at ``Pagination/totalPages``.
    public let totalPages: Int?

    /// The position of the next page, from which a later iteration can resume.
    ///
    /// It is `nil` for the last page, and if the next page cannot be requested. In the latter case
    /// the iteration ends with an error.
    public let nextPosition: PagePosition?
}

extension Page: Sendable where Object: Sendable {}

extension Page {
    init(_ objects: [Object], _ report: MappingReport, of received: PageResponse) {
        self.init(
            objects: objects, url: received.response.url, head: received.response.head,
            report: report, index: received.page.index,
            totalObjects: received.page.totalObjects, totalPages: received.page.totalPages,
            nextPosition: received.page.nextPosition)
    }
}
