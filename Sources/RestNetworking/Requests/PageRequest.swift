// SPDX-License-Identifier: Apache-2.0

package import RestDocument
package import RestTransport

/// The parts of a page's request that differ from that of the first page.
package struct PageRequest: Sendable, Hashable {
    /// The URL.
    package let url: HTTPURL
    /// The members of the body; `nil` if the body is that of the first page.
    let members: Document?

    package init(url: HTTPURL, members: Document? = nil) {
        self.url = url
        self.members = members
    }
}
