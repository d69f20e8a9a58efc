// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import NIOCore
import NIOHTTP1

/// Ends a connection whose server sends a head that is none, or interim ones without end.
///
/// AsyncHTTPClient takes every status below 200 for that of an interim response, and traps on the body
/// that follows one which is none.
final class ResponseHeadGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// What a server did.
    enum Refusal: Error {
        case sentNoStatus
        case sentTooManyInterimResponses
    }

    /// Most interim responses before an answer.
    private static let interimLimit = 64

    private var interimCount = 0
    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), let refusal = judge(head.status.code) {
            hasRefused = true
            context.fireErrorCaught(refusal)
            context.close(promise: nil)
        } else {
            context.fireChannelRead(data)
        }
    }

    private func judge(_ status: UInt) -> Refusal? {
        switch status {
        // AsyncHTTPClient hands over 101 as the answer, though nobody asked for another protocol.
        case 100, 102..<200:
            interimCount += 1
            return interimCount > Self.interimLimit ? .sentTooManyInterimResponses : nil
        case 101, 200...999:
            interimCount = 0
            return nil
        default:
            return .sentNoStatus
        }
    }
}
#endif
